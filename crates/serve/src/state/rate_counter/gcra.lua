-- GCRA, the generic cell rate algorithm, as the `governor` crate counts it; times are whole microseconds of this server's clock.
-- KEYS[1] has the theoretical arrival time of the caller's next request; ARGV: microseconds for one request, requests in a full quota.
-- Gives: 1 when allowed, requests left, microseconds until the next request is allowed.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local tolerance = interval * (burst - 1)
local arrival = tonumber(redis.call('GET', KEYS[1]) or now)
-- After a failover the clock may be behind: nobody waits longer for that than a full quota takes.
arrival = math.min(arrival, now + tolerance + interval)
local earliest = arrival - tolerance
if now < earliest then
  return {0, 0, earliest - now}
end
arrival = math.max(arrival, now) + interval
redis.call('SET', KEYS[1], string.format('%.0f', arrival), 'PX', math.ceil((arrival - now) / 1000))
return {1, math.floor((now + tolerance + interval - arrival) / interval), 0}
