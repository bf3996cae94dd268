-- Opens the contract, waits for its diagnostic, jumps, renames, lays out. Says what it saw as JSON.
local said = {}
vim.opt.runtimepath:prepend(vim.env.MOTET_SOURCE .. '/editors/neovim')
vim.cmd('runtime! ftdetect/tenor.vim')
require('motet').setup({ cmd = { vim.env.MOTET, 'lsp' } })
vim.cmd('filetype on')
vim.cmd('edit ' .. vim.env.CONTRACT)

local function wait(for_what)
  return vim.wait(10000, for_what, 20)
end

said.filetype = vim.bo.filetype
said.attached = wait(function() return #vim.lsp.buf_get_clients(0) > 0 end)
wait(function() return #vim.diagnostic.get(0) > 0 end)
said.diagnostics = vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(0))

-- the misspelt name is mended by hand, and the diagnostic goes
vim.fn.search('pey')
vim.cmd('normal! cwpay')
said.mended = wait(function() return #vim.diagnostic.get(0) == 0 end)

vim.fn.search('op: pay')
vim.cmd('normal! 4l')
vim.lsp.buf.definition()
wait(function() return vim.fn.getline('.'):match('^operation pay') ~= nil end)
said.definition = vim.fn.getline('.')

vim.lsp.buf.rename('settle')
wait(function() return vim.fn.search('op: settle', 'nw') > 0 end)
said.renamed = { vim.fn.search('operation settle', 'nw') > 0, vim.fn.search('op: settle', 'nw') > 0 }

vim.lsp.buf.formatting_sync(nil, 10000)
said.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n'
vim.fn.writefile({ vim.fn.json_encode(said) }, vim.env.ANSWER)
vim.cmd('qall!')
