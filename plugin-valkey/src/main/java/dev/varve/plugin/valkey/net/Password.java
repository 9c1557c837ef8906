package dev.varve.plugin.valkey.net;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;

/**
 * Who a connection belongs to; shows nothing of it.
 *
 * @param user may be empty, for the one that a password alone stands for
 */
record Password(String user, String secret)
        implements RedisCredentialsProvider.ImmediateRedisCredentialsProvider {
    @Override
    public RedisCredentials resolveCredentialsNow() {
        return RedisCredentials.just(user.isEmpty() ? null : user, secret);
    }

    @Override
    public String toString() {
        return "Password";
    }
}
