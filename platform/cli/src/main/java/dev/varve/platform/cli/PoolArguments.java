package dev.varve.platform.cli;

import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.paging.RequestedPaging;

import picocli.CommandLine.Mixin;

import java.util.Optional;

/**
 * A bounded attention cache and the drafter that may choose its pages, for commands that do not
 * serve.
 */
final class PoolArguments {
    @Mixin private PagingArguments paging;

    @Mixin private PrefillDrafterOption drafter;

    /**
     * The requested pool and drafter.
     *
     * @param pool empty for an unbounded cache
     * @param reader settings of the drafter, without compression
     */
    record Choice(Optional<RequestedPaging> pool, Optional<CompressionSettings> reader) {}

    /**
     * Returns the pool, with a drafter only if it scores pages.
     *
     * @param isDemo whether the model is a demo model, which has a demo drafter
     * @throws UsageException whose message begins with the wrong flag
     */
    Choice choose(Environment environment, boolean isDemo) {
        PageScoringDrafter pages = pages(environment, isDemo);
        Optional<RequestedPaging> pool = paging.request(environment, pages.isThere());
        return new Choice(pool, pages.settings(pool, drafter.named(), environment));
    }

    /** Like {@link #choose}, but also accepts a drafter for prompt compression. */
    Choice plan(Environment environment, boolean isDemo) {
        PageScoringDrafter pages = pages(environment, isDemo);
        Optional<RequestedPaging> pool = paging.request(environment, pages.isThere());
        Optional<String> named =
                PageScoringDrafter.scores(pool) ? Optional.of(pages.name()) : drafter.named();
        return new Choice(pool, named.map(name -> PageScoringDrafter.reader(name, environment)));
    }

    private PageScoringDrafter pages(Environment environment, boolean isDemo) {
        return paging.drafter(drafter.named(), environment, isDemo);
    }
}
