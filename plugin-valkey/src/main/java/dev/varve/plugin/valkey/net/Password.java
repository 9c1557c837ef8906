package dev.varve.plugin.valkey.net;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;

/**
 * Credentials of a connection; its text contains nothing of them.
 *
 * @param user may be empty, for the default user of a password
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
