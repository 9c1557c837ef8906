package dev.varve.platform.cli;

import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.paging.PagePolicy;
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
        Optional<String> pages = paging.drafter(drafter.named(), environment, isDemo);
        Optional<RequestedPaging> pool = paging.request(environment, pages.isPresent());
        Optional<String> scoring = PagingArguments.scoringDrafter(pool, pages);
        if (scoring.isEmpty() && drafter.named().isPresent()) {
            throw new UsageException(
                    PrefillDrafterOption.FLAG
                            + ": needs "
                            + PagingArguments.POLICY
                            + " "
                            + PagePolicy.DRAFTER.word()
                            + "; no other part of this command uses it");
        }
        return choice(pool, scoring, environment);
    }

    /** Like {@link #choose}, but also accepts a drafter for prompt compression. */
    Choice plan(Environment environment, boolean isDemo) {
        Optional<String> pages = paging.drafter(drafter.named(), environment, isDemo);
        Optional<RequestedPaging> pool = paging.request(environment, pages.isPresent());
        return choice(
                pool, PagingArguments.scoringDrafter(pool, pages).or(drafter::named), environment);
    }

    private static Choice choice(
            Optional<RequestedPaging> pool, Optional<String> reader, Environment environment) {
        return new Choice(
                pool,
                reader.map(
                        name ->
                                CompressionSettings.of(
                                        PrefillDrafterOption.file(name, environment),
                                        ConversationCompressionSettings.USUAL)));
    }
}
