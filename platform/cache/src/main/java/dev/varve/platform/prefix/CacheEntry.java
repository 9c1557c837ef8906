package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;

import java.time.Duration;

/**
 * A position that host memory can restore.
 *
 * @param scope whose it is
 * @param tokens tokens in front of it
 * @param bytes bytes that would be free without it
 * @param uses how often it was restored
 * @param idle time since it was used or made
 */
public record CacheEntry(CacheScope scope, int tokens, long bytes, int uses, Duration idle) {}
