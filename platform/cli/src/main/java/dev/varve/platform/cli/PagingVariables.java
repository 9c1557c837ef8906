package dev.varve.platform.cli;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.RequestedPaging;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Environment variables of a bounded attention cache; flags override them. Variables may be meant
 * for another program: an unusable value is replaced with a warning.
 */
final class PagingVariables {
    static final String POOL = "DFLASH_KVFLASH";
    static final String POLICY = "DFLASH_KVFLASH_POLICY";
    static final String TAU = "DFLASH_KVFLASH_TAU";
    static final String MOST = "DFLASH_KVFLASH_MAX_POOL";
    static final String DRAFTER = "DFLASH_KVFLASH_DRAFTER";

    private final Environment environment;
    private final boolean hasDrafter;
    private final Consumer<String> warnings;

    /**
     * @param hasDrafter whether there is a drafter even if no variable names one
     * @param warnings accepts a warning for each variable that cannot be used
     */
    PagingVariables(Environment environment, boolean hasDrafter, Consumer<String> warnings) {
        this.environment = environment;
        this.hasDrafter = hasDrafter;
        this.warnings = warnings;
    }

    /** Parses a whole number and clamps it to an {@code int}; empty if it is not one. */
    static Optional<Integer> number(String text) {
        try {
            return Optional.of(
                    Math.clamp(Long.parseLong(text), Integer.MIN_VALUE, Integer.MAX_VALUE));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private Optional<String> variable(String name) {
        return environment.variable(name).map(String::strip);
    }

    /** Slots of a pool; empty for no pool, as with 0. */
    Optional<RequestedPaging.Size> size() {
        Optional<String> text = variable(POOL);
        Optional<RequestedPaging.Size> size =
                text.flatMap(given -> PagingArguments.parse(given, this));
        if (size.isEmpty() && !text.flatMap(PagingVariables::number).equals(Optional.of(0))) {
            text.ifPresent(
                    given ->
                            replace(
                                    POOL,
                                    RequestedPaging.EXPECTED,
                                    given,
                                    "the cache is unbounded"));
        }
        return size;
    }

    /** Policy of page residency, if set. */
    Optional<PagePolicy> policy() {
        Optional<String> text = variable(POLICY);
        Optional<PagePolicy> policy =
                text.flatMap(PagingArguments::policyNamed).filter(this::canBeHad);
        if (policy.isEmpty()) {
            text.ifPresent(
                    given ->
                            replace(
                                    POLICY,
                                    "qk or lru, or drafter with " + PrefillDrafterOption.FLAG,
                                    given,
                                    "using " + RequestedPaging.USUAL.word()));
        }
        return policy;
    }

    /** Least tokens between two choices of pages, if set. */
    Optional<Integer> tau() {
        return atLeast(TAU, 1, PagingOptions.DEFAULT_TAU);
    }

    /** Most tokens of an automatic pool. */
    int mostTokens() {
        int usual = RequestedPaging.Size.Automatic.USUAL_MOST;
        return atLeast(MOST, RequestedPaging.Size.Automatic.LEAST_MOST, usual).orElse(usual);
    }

    private Optional<Integer> atLeast(String name, int least, int usual) {
        return variable(name)
                .map(
                        text -> {
                            int taken =
                                    number(text).map(given -> Math.max(least, given)).orElse(usual);
                            if (!number(text).equals(Optional.of(taken))) {
                                replace(name, least + " or more", text, "using " + taken);
                            }
                            return taken;
                        });
    }

    /** Drafter that scores pages, if named. */
    Optional<String> drafter() {
        return variable(DRAFTER);
    }

    private boolean canBeHad(PagePolicy policy) {
        return policy != PagePolicy.DRAFTER || hasDrafter || drafter().isPresent();
    }

    private void replace(String name, String expected, String found, String instead) {
        warnings.accept(name + ": expected " + expected + ", found " + found + "; " + instead);
    }
}
