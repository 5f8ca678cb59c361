-- Tells those who wait for the ends of jobs they pushed (core/nonce.h): a nonce whose first bit is set
-- begins with an address. ends: by address, a list of what is told: the number of the push (4), size of
-- the id (1), id, size of the record (4), the record; none if it is to be read. They are put together
-- once: to make a string takes the server ten instructions a byte. The channel is the
-- space's; before all of them stands the queue, with its size (1). All is written by now, so a user
-- who may not use that channel stops nothing: who waits looks for himself.
do
  local slash = string.find(meta, '/', 1, true) -- the prefix and the space have none
  local front, queue_ = sub(meta, 1, slash - 1), sub(meta, slash + 1, string.find(meta, '#', slash, true) - 1)
  for to, told in pairs(ends) do
    told[0] = pack('>Bc0', #queue_, queue_)
    try('PUBLISH', front .. '}:ends:' .. string.format('%08x', parse('>I4', to)), table.concat(told, '', 0))
  end
end
