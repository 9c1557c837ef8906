package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;

import java.time.Duration;

/**
 * A position that can be restored from host memory.
 *
 * @param scope scope of the tokens
 * @param tokens number of tokens before it
 * @param bytes bytes that its eviction would free
 * @param uses number of restores
 * @param idle time since its last use or its creation
 */
public record CachedPrefixInfo(CacheScope scope, int tokens, long bytes, int uses, Duration idle) {}
