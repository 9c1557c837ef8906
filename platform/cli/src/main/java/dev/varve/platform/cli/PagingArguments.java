package dev.varve.platform.cli;

import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.RequestedPaging;

import picocli.CommandLine.Option;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** Options of the bounded attention cache, of commands that generate or plan. */
final class PagingArguments {
    private static final Logger LOG = System.getLogger(PagingArguments.class.getName());
    private static final int SECTION = OptionSections.PAGING;

    @Option(
            names = PagingFlags.POOL,
            paramLabel = "N|auto",
            description =
                    "Keep the keys and values of N tokens of each sequence on the devices, however"
                            + " long it gets; the others are in host memory and come back when they"
                            + " are looked for. auto: half of what the memory has left, at most "
                            + RequestedPaging.Size.Automatic.USUAL_MOST
                            + " (default: all tokens of --max-ctx are there). Answers may differ"
                            + " from those of an unbounded cache; see docs/kv-flash.md.",
            order = SECTION)
    private Optional<String> pool = Optional.empty();

    @Option(
            names = PagingFlags.POLICY,
            paramLabel = "qk|lru|drafter",
            description =
                    "What stays: qk (default), what the model's own queries look for; lru, what was"
                            + " used last; drafter, what a small model (--prefill-drafter) finds to"
                            + " matter.",
            order = SECTION + 1)
    private Optional<String> policy = Optional.empty();

    @Option(
            names = PagingFlags.TAU,
            paramLabel = "N",
            description =
                    "Least tokens between two choices of what stays (default: "
                            + PagingOptions.DEFAULT_TAU
                            + "); more for long sequences.",
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
        return flags().request(variables(environment, hasDrafter));
    }

    /**
     * Returns the drafter that may score pages.
     *
     * @param named name from a flag
     */
    PageScoringDrafter drafter(Optional<String> named, Environment environment, boolean isDemo) {
        return new PageScoringDrafter(named.or(variables(environment, true)::drafter), isDemo);
    }

    private static PagingVariables variables(Environment environment, boolean hasDrafter) {
        return new PagingVariables(environment, hasDrafter, text -> LOG.log(Level.WARNING, text));
    }

    /** Flags without environment variables. */
    PagingFlags flags() {
        return new PagingFlags(pool, policy, tau);
    }
}
