package dev.varve.platform.cli;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.RequestedPaging;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * Flags of a bounded attention cache. A wrong value is an error.
 *
 * @param pool {@code --kvflash}
 * @param policy {@code --kvflash-policy}
 * @param tau {@code --kvflash-tau}
 */
record PagingFlags(Optional<String> pool, Optional<String> policy, Optional<Integer> tau) {
    static final String POOL = "--kvflash";
    static final String POLICY = "--kvflash-policy";
    static final String TAU = "--kvflash-tau";

    PagingFlags {
        Objects.requireNonNull(pool);
        Objects.requireNonNull(policy);
        Objects.requireNonNull(tau);
    }

    /**
     * Returns the requested pool, from a flag or else from its variable; empty for an unbounded
     * cache.
     *
     * @throws UsageException whose message begins with the wrong flag
     * @throws IllegalArgumentException whose message begins with a wrong setting
     */
    Optional<RequestedPaging> request(PagingVariables variables) {
        Optional<RequestedPaging.Size> size = pool.map(text -> size(text, variables));
        Optional<PagePolicy> asked = policy.map(PagingFlags::policy);
        if (tau.isPresent()) {
            ModelLoadArguments.positive(tau, TAU);
        }
        size = size.or(variables::size);
        if (size.isEmpty()) {
            requireUnset(policy, POLICY);
            requireUnset(tau, TAU);
            return Optional.empty();
        }
        return Optional.of(
                new RequestedPaging(
                        size.get(),
                        asked.or(variables::policy),
                        tau.or(variables::tau).orElse(PagingOptions.DEFAULT_TAU)));
    }

    private static void requireUnset(Optional<?> value, String flag) {
        if (value.isPresent()) {
            throw new UsageException(
                    flag + ": needs " + POOL + "; without it nothing leaves the cache");
        }
    }

    private static RequestedPaging.Size size(String text, PagingVariables variables) {
        return parse(text, variables)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        POOL
                                                + ": expected "
                                                + RequestedPaging.EXPECTED
                                                + ", found "
                                                + text));
    }

    /** Parses a size; empty if the text is not one. */
    static Optional<RequestedPaging.Size> parse(String text, PagingVariables variables) {
        if (text.equalsIgnoreCase(RequestedPaging.AUTO)) {
            return Optional.of(new RequestedPaging.Size.Automatic(variables.mostTokens()));
        }
        return PagingVariables.number(text)
                .filter(number -> number > 0)
                .map(RequestedPaging.Size.Fixed::new);
    }

    private static PagePolicy policy(String text) {
        return policyNamed(text)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        POLICY + ": expected qk, lru or drafter, found " + text));
    }

    /** Returns the policy with a name. */
    static Optional<PagePolicy> policyNamed(String text) {
        return Arrays.stream(PagePolicy.values())
                .filter(policy -> policy.word().equalsIgnoreCase(text))
                .findFirst();
    }
}
