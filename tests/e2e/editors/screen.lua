-- Shows a contract with two slips, and what one of its names is. Says when it is done.
vim.opt.runtimepath:prepend(vim.env.MOTET_SOURCE .. '/editors/neovim')
vim.cmd('runtime! ftdetect/tenor.vim')
vim.o.termguicolors = true
vim.o.background = 'dark'
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.swapfile = false
vim.o.shortmess = vim.o.shortmess .. 'FI'
vim.o.ruler = false
vim.o.laststatus = 0
vim.opt.fillchars = { eob = ' ' }
vim.cmd('syntax on')
local colours = {
  Normal = { fg = '#d8dee9' }, LineNr = { fg = '#5c6773' }, SignColumn = { bg = 'NONE' },
  Statement = { fg = '#81a1f1' }, Keyword = { fg = '#81a1f1' }, Type = { fg = '#8fd0c0' }, Constant = { fg = '#e2b27a' },
  String = { fg = '#a3be8c' }, Number = { fg = '#e2b27a' }, Comment = { fg = '#7b8794' }, Identifier = { fg = '#9fb4d8' },
  Operator = { fg = '#c59be0' }, PreProc = { fg = '#c59be0' }, Special = { fg = '#c59be0' },
  NormalFloat = { fg = '#d8dee9', bg = '#2b3648' }, FloatBorder = { fg = '#5c6773', bg = '#2b3648' },
  DiagnosticError = { fg = '#ff7b72' }, DiagnosticWarn = { fg = '#e3b341' }, DiagnosticHint = { fg = '#7b8794' },
  DiagnosticUnderlineError = { undercurl = true, sp = '#ff7b72' }, DiagnosticUnderlineWarn = { undercurl = true, sp = '#e3b341' },
}
for name, look in pairs(colours) do
  vim.api.nvim_set_hl(0, name, look)
end
vim.diagnostic.config({
  severity_sort = true,
  virtual_text = { prefix = '■', format = function(d) return (d.message:gsub('\n', '; ')) end },
})
require('motet').setup({ cmd = { vim.env.MOTET, 'lsp' } })
vim.cmd('filetype on')
vim.cmd('edit ' .. vim.env.CONTRACT)

local function wait(for_what)
  return vim.wait(20000, for_what, 20)
end

wait(function() return #vim.diagnostic.get(0) >= 2 end)
vim.fn.search(vim.env.HOVER)
vim.lsp.buf.hover()
wait(function() return #vim.api.nvim_list_wins() > 1 end)
vim.cmd('redraw!')
vim.defer_fn(function() vim.fn.writefile({ 'done' }, vim.env.ANSWER) end, 300)
