-- Counts the rejected recipients of accounts at one provider, in a sorted set for each slot of five minutes, and sums them up over the hour.
-- An account that probed the provider without a rejection is in the set with 0: it uses the provider.
--   KEYS the sets of the hour's slots, the running one first   ARGV[1] how long a set is kept, in milliseconds
--   ARGV[2...] accounts, each followed by its new rejections
-- Returns whether several accounts used the provider in the hour, then the rejections of each given account in the hour.
for i = 2, #ARGV, 2 do redis.call('ZINCRBY', KEYS[1], ARGV[i + 1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])

local only, isShared = nil, 0
for _, key in ipairs(KEYS) do
  local accounts = redis.call('ZRANGE', key, 0, 1)
  only = only or accounts[1]
  for _, account in ipairs(accounts) do
    if account ~= only then isShared = 1 end
  end
end

local answer = { isShared }
for i = 2, #ARGV, 2 do
  local used = 0
  for _, key in ipairs(KEYS) do used = used + (tonumber(redis.call('ZSCORE', key, ARGV[i])) or 0) end
  table.insert(answer, used)
end
return answer
