-- The shared state of one target, in one hash, and one decision per call. Times are in milliseconds of the clock of Redis.
-- A lease may have a second target, the destination of the connection: both are granted, or neither.
-- The decisions are those of packages/engine/src/smtp/connections/local-rate-limiter.ts, and the same table of steps tests both.
--   KEYS the target, and for a lease also its destination   ARGV[1] lease, release, slow_down or suspend
--   ARGV[2] its input as JSON; for a lease with `targets`: the limits and the local state of the calling worker, for each key
-- Fields: full_at (of the rate's allowance), level and slowed_at, until and reason (of a suspension), lifted_at (by an operator),
--   lease:<id> (<end>:<rejections granted to it>), refused:<slot> (number of rejections).
local decision, ask = ARGV[1], cjson.decode(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local slot = math.floor(now / ask.slotMs)

-- Lua converts numbers with 14 digits. A time in milliseconds has 13, so whole numbers are exact.
local function numberOf(key, field, default) return tonumber(redis.call('HGET', key, field)) or default end

local function countRefused(key, count)
  if count > 0 then redis.call('HINCRBY', key, 'refused:' .. slot, count) end
end

local function suspend(key, forMs, reason)
  local ends = now + forMs
  if ends > numberOf(key, 'until', 0) then redis.call('HSET', key, 'until', ends, 'reason', reason) end
end

local function levelOf(key)
  local hours = math.floor((now - numberOf(key, 'slowed_at', now)) / ask.gainEveryMs)
  return math.min(ask.levelMax, numberOf(key, 'level', ask.levelMax) + hours * ask.levelGain)
end

-- Restores what the calling worker knows, in case that Redis was unavailable or lost its data; but no suspension that an operator lifted since.
local function learn(key, of)
  countRefused(key, of.refused)
  -- Times of workers and of Redis differ by the duration of a call, at most a second.
  local isLifted = numberOf(key, 'lifted_at', 0) + 1000 > now - of.suspendedAgoMs
  if of.suspendedMs > 0 and not isLifted then suspend(key, of.suspendedMs, of.reason) end
  for _, lease in ipairs(of.held) do
    redis.call('HSETNX', key, 'lease:' .. lease[1], (now + lease[2]) .. ':' .. lease[3])
  end
end

-- The open leases and the rejections of the hour. An expired lease counts with all rejections that were granted to it.
local function look(key)
  local seen = { leases = 0, promised = 0, nextEnd = math.huge, used = 0, slots = {} }
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local ends, promised = string.match(fields[i + 1], '^(%d+):(%d+)$')
    local counted = tonumber(string.match(fields[i], '^refused:(%d+)$'))
    if ends and tonumber(ends) <= now then
      redis.call('HDEL', key, fields[i])
      countRefused(key, tonumber(promised))
      seen.used = seen.used + promised
      table.insert(seen.slots, { slot, tonumber(promised) })
    elseif ends then
      seen.leases = seen.leases + 1
      seen.promised = seen.promised + promised
      seen.nextEnd = math.min(seen.nextEnd, tonumber(ends) - now)
    elseif counted and counted <= slot - ask.slotsInHour then
      redis.call('HDEL', key, fields[i])
    elseif counted then
      seen.used = seen.used + fields[i + 1]
      table.insert(seen.slots, { counted, tonumber(fields[i + 1]) })
    end
  end
  table.sort(seen.slots, function(a, b) return a[1] < b[1] end)
  return seen
end

local function freeIn(left, slots)
  for _, counted in ipairs(slots) do
    left = left + counted[2]
    if left >= 1 then return (counted[1] + ask.slotsInHour) * ask.slotMs - now end
  end
  return ask.slotsInHour * ask.slotMs
end

-- Returns 'lease', the rejections granted (-1: unlimited) and when the rate's allowance is full again; or the reason for throttling and its
-- milliseconds.
local function decide(key, of)
  local suspendedUntil = numberOf(key, 'until', 0)
  if suspendedUntil > now then return 'suspended', suspendedUntil - now end

  local seen = look(key)
  local isCounted = of.errorsPerHour ~= cjson.null
  local left = isCounted and of.errorsPerHour - seen.used or math.huge
  if left < 1 then return 'budget', freeIn(left, seen.slots) end

  local level = levelOf(key) / ask.levelMax
  local connections = math.max(1, math.floor(of.connectionsPerEgress * level))
  local interval = math.ceil(60000 / (of.connectionsPerMinute * level))
  local soon = math.min(interval, seen.nextEnd)
  if seen.leases >= connections then return 'connections', soon end
  if left - seen.promised < 1 then return 'budget', soon end

  local fullAt = math.max(now, numberOf(key, 'full_at', 0))
  local early = fullAt - now - (connections - 1) * interval
  if early > 0 then return 'rate', early end

  local errorsMax = -1
  if isCounted then
    local share = math.floor((left - seen.promised) / (connections - seen.leases))
    errorsMax = math.min(of.errorsOnConnection, math.max(1, share))
  end
  return 'lease', errorsMax, fullAt + interval
end

-- Returns 'lease' and the rejections granted for each target; or the reason for throttling, its milliseconds and the target.
local function lease()
  local granted = {}
  for i, key in ipairs(KEYS) do learn(key, ask.targets[i]) end
  for i, key in ipairs(KEYS) do
    local what, amount, fullAt = decide(key, ask.targets[i])
    if what ~= 'lease' then return { what, amount, i } end
    granted[i] = { amount, fullAt }
  end
  local answer = { 'lease' }
  for i, key in ipairs(KEYS) do
    local errorsMax, fullAt = granted[i][1], granted[i][2]
    redis.call('HSET', key, 'full_at', fullAt, 'lease:' .. ask.id, (now + ask.leaseMs) .. ':' .. math.max(0, errorsMax))
    answer[i + 1] = errorsMax
  end
  return answer
end

local answer = { 'done', 0 }
if decision == 'lease' then
  answer = lease()
elseif decision == 'release' then
  redis.call('HDEL', KEYS[1], 'lease:' .. ask.id)
  countRefused(KEYS[1], ask.refused)
elseif decision == 'suspend' then
  suspend(KEYS[1], ask.forMs, ask.reason)
elseif decision == 'slow_down' and now - numberOf(KEYS[1], 'slowed_at', 0) >= ask.slowDownOnceMs then
  redis.call('HSET', KEYS[1], 'level', math.max(ask.levelMin, math.floor(levelOf(KEYS[1]) / 2)), 'slowed_at', now)
end

for _, key in ipairs(KEYS) do
  local lifted = numberOf(key, 'lifted_at', -ask.suspendMaxMs) + ask.suspendMaxMs
  redis.call('PEXPIRE', key, math.max(ask.forgetMs, numberOf(key, 'until', 0) - now, lifted - now))
end
return answer
