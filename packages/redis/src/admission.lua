-- Everything that requests of one account need of Redis, in one round trip: the rate limit of the account, the recent result of
-- each validation, and a slot for each validation without one.
--   KEYS[1] when the account's rate is full again (microseconds, clock of Redis)
--   KEYS[2] the slots taken, by the time at which they lapse
--   KEYS[3…] one for each request: its recent result
--   ARGV[1] quota, or 0 for requests that were counted before and wait for a slot   ARGV[2] window in microseconds   ARGV[3] slots   ARGV[4] microseconds until a slot lapses
--   ARGV[5…] two for each request: the name of its slot, empty for a request without a validation; and the milliseconds that
--            its recent result must still be stored for, which is how the maximum age of a result is checked
-- Returns for each request {allowed, microseconds until full, microseconds to wait, recent result or false, 1 if all slots are taken}.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local window = tonumber(ARGV[2])
local quota = tonumber(ARGV[1])
local step = quota > 0 and window / quota or 0
local slots = tonumber(ARGV[3])
local lapse = tonumber(ARGV[4])

local before = math.max(now, tonumber(redis.call('GET', KEYS[1])) or 0)
local full_at = before
local taken
local answers = {}

-- 1 if all slots are taken.
local function take(name)
  if not taken then
    redis.call('ZREMRANGEBYSCORE', KEYS[2], 0, string.format('%.0f', now))
    taken = redis.call('ZCARD', KEYS[2])
  end
  if taken >= slots then
    return 1
  end
  taken = taken + redis.call('ZADD', KEYS[2], string.format('%.0f', now + lapse), name)
  redis.call('PEXPIRE', KEYS[2], math.ceil(lapse / 1000))
  return 0
end

for n = 1, #KEYS - 2 do
  local after = full_at + step
  local wait = quota > 0 and math.ceil(after - window - now) or 0
  if wait > 0 then
    answers[n] = {0, math.ceil(full_at - now), wait, false, 0}
  else
    full_at = after
    local name = ARGV[3 + 2 * n]
    local stored_for = tonumber(ARGV[4 + 2 * n])
    local recent = name ~= '' and redis.call('GET', KEYS[2 + n])
    if recent and stored_for > 0 and redis.call('PTTL', KEYS[2 + n]) < stored_for then
      recent = false
    end
    local full = 0
    if name ~= '' and not recent then
      full = take(name)
    end
    answers[n] = {1, math.ceil(full_at - now), 0, recent, full}
  end
end

if full_at > before then
  -- Written out in full: Lua's own conversion keeps 14 digits, and microseconds since 1970 have 16.
  redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000) + 1)
end
return answers
