-- Starts the language server for every contract that is opened. Works from Neovim 0.7 on.
--   require('motet').setup()                       -- `motet` on the PATH
--   require('motet').setup({ cmd = { '/opt/motet/bin/motet', 'lsp' } })
local M = {}

local function root_of(path)
  local found = vim.fs and vim.fs.find({ 'motet.yaml', '.git' }, { upward = true, path = path })[1]
  return found and vim.fs.dirname(found) or vim.fn.fnamemodify(path, ':p:h')
end

function M.setup(options)
  options = vim.tbl_extend('force', { cmd = { 'motet', 'lsp' }, filetypes = { 'tenor' } }, options or {})
  local clients = {}
  local function attach(buffer)
    local root = root_of(vim.api.nvim_buf_get_name(buffer))
    if not clients[root] then
      clients[root] = vim.lsp.start_client({
        name = 'motet', cmd = options.cmd, root_dir = root, on_attach = options.on_attach,
        on_exit = function() clients[root] = nil end,
      })
    end
    if clients[root] then
      vim.lsp.buf_attach_client(buffer, clients[root])
    end
  end
  vim.api.nvim_create_autocmd('FileType', {
    pattern = options.filetypes,
    callback = function(event) attach(event.buf) end,
  })
end

return M
