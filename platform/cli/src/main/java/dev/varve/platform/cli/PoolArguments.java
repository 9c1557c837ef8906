package dev.varve.platform.cli;

import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.paging.RequestedPaging;

import picocli.CommandLine.Mixin;

import java.util.Optional;

/**
 * A bounded attention cache and the drafter that may choose its pages, for commands that serve
 * nobody.
 */
final class PoolArguments {
    @Mixin private PagingArguments paging;

    @Mixin private PrefillDrafterOption drafter;

    /**
     * What was asked for.
     *
     * @param pool empty for a cache that holds all
     * @param reader the drafter; compresses nothing
     */
    record Choice(Optional<RequestedPaging> pool, Optional<CompressionSettings> reader) {}

    /**
     * A drafter that chooses pages, and no other.
     *
     * @param isDemo whether the model is a toy, for which there is a toy that reads
     * @throws UsageException that begins with the flag that is wrong
     */
    Choice choose(Environment environment, boolean isDemo) {
        PageScoringDrafter pages = pages(environment, isDemo);
        Optional<RequestedPaging> pool = paging.request(environment, pages.isThere());
        return new Choice(pool, pages.settings(pool, drafter.named(), environment));
    }

    /** Likewise, or a drafter for prompts that are to become shorter. */
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
