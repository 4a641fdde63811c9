-- Waits for diagnostics of the file that is open, and writes their messages to the file that FOUND names.
vim.wait(100000, function() return #vim.diagnostic.get(0) > 0 end, 200)
local out = assert(io.open(os.getenv('FOUND'), 'w'))
for _, one in ipairs(vim.diagnostic.get(0)) do
  out:write(one.message, '\n')
end
out:close()
vim.cmd('qa!')
