package dev.varve.platform.cli;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.RequestedPaging;

import picocli.CommandLine.Option;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.Optional;

/** Options of the bounded attention cache, of commands that generate or plan. */
final class PagingArguments {
    private static final Logger LOG = System.getLogger(PagingArguments.class.getName());
    private static final int SECTION = OptionSections.PAGING;
    private static final String POOL = "--kvflash";
    private static final String TAU = "--kvflash-tau";

    /** Option of the policy. */
    static final String POLICY = "--kvflash-policy";

    @Option(
            names = POOL,
            paramLabel = "N|auto",
            description =
                    "Tokens of each sequence whose keys and values stay on the devices (default:"
                        + " all). Host memory holds the others until the model needs them,"
                        + " regardless of the length of the sequence. auto: half of the remaining"
                        + " memory, at most 16384 tokens. Responses may differ from those of an"
                        + " unbounded cache; see docs/kv-flash.md.",
            order = SECTION)
    private Optional<String> pool = Optional.empty();

    @Option(
            names = POLICY,
            paramLabel = "qk|lru|drafter",
            description =
                    "Which tokens stay on the devices (default: qk). qk: those that match the"
                            + " model's queries; lru: the most recently used; drafter: those that a"
                            + " small model (--prefill-drafter) scores highest.",
            order = SECTION + 1)
    private Optional<String> policy = Optional.empty();

    @Option(
            names = TAU,
            paramLabel = "N",
            description =
                    "Minimum tokens between two selections of pages (default: "
                            + PagingOptions.DEFAULT_TAU
                            + "); larger for long sequences.",
            order = SECTION + 2)
    private Optional<Integer> tau = Optional.empty();

    /**
     * Returns the requested pool, from flags or else from variables; empty for an unbounded cache.
     * Logs variables that cannot be used.
     *
     * @param hasDrafter whether there is a drafter even if no variable names one
     * @throws UsageException whose message begins with the wrong flag
     * @throws IllegalArgumentException whose message begins with a wrong setting
     */
    Optional<RequestedPaging> request(Environment environment, boolean hasDrafter) {
        return request(variables(environment, hasDrafter));
    }

    /** Like {@link #request(Environment, boolean)}, with other variables. */
    Optional<RequestedPaging> request(PagingVariables variables) {
        Optional<RequestedPaging.Size> size = pool.map(text -> size(text, variables));
        Optional<PagePolicy> asked = policy.map(PagingArguments::policy);
        ModelLoadArguments.positive(tau, TAU);
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
                    flag + ": needs " + POOL + "; without it all tokens stay on the devices");
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

    /**
     * Returns the name of the drafter that may score pages: from its flag, from its variable, or
     * that of a demo model; empty for none.
     *
     * @param named name from a flag
     */
    Optional<String> drafter(Optional<String> named, Environment environment, boolean isDemo) {
        return PrefillDrafterOption.named(named.or(variables(environment, true)::drafter), isDemo);
    }

    /**
     * Returns the drafter that scores the pages of a pool; empty if they are chosen in another way.
     *
     * @param drafter the drafter that may score pages
     * @throws UsageException if there is none and the pool needs one
     */
    static Optional<String> scoringDrafter(
            Optional<RequestedPaging> pool, Optional<String> drafter) {
        if (pool.filter(request -> request.chosenPolicy() == PagePolicy.DRAFTER).isEmpty()) {
            return Optional.empty();
        }
        if (drafter.isEmpty()) {
            throw new UsageException(
                    POLICY
                            + " "
                            + PagePolicy.DRAFTER.word()
                            + ": needs "
                            + PrefillDrafterOption.FLAG
                            + ", a small model that scores the text");
        }
        return drafter;
    }

    private static PagingVariables variables(Environment environment, boolean hasDrafter) {
        return new PagingVariables(environment, hasDrafter, text -> LOG.log(Level.WARNING, text));
    }
}
