package dev.varve.platform.cli;

import dev.varve.platform.compression.CompressionPolicy;
import dev.varve.platform.compression.conversation.CompressionOptions;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.RequestedPaging;

import java.util.Optional;

/**
 * The prefill drafter that scores pages of a bounded attention cache.
 *
 * @param asked name from {@code --prefill-drafter}, or else from its variable
 * @param isDemo whether the model is a demo model, which has a demo drafter
 */
record PageScoringDrafter(Optional<String> asked, boolean isDemo) {
    /** Whether a drafter is available. */
    boolean isThere() {
        return asked.isPresent() || isDemo;
    }

    /** Whether a drafter scores the pages of a pool. */
    static boolean scores(Optional<RequestedPaging> pool) {
        return pool.filter(request -> request.chosenPolicy() == PagePolicy.DRAFTER).isPresent();
    }

    /**
     * Settings of the drafter without compression; empty if pages are chosen in another way.
     *
     * @throws UsageException if there is no drafter, or an unusable one
     */
    Optional<CompressionSettings> settings(
            Optional<RequestedPaging> pool, Optional<String> flag, Environment environment) {
        if (!scores(pool)) {
            if (flag.isPresent()) {
                throw new UsageException(
                        CompressionFlags.DRAFTER
                                + ": needs "
                                + PagingFlags.POLICY
                                + " "
                                + PagePolicy.DRAFTER.word()
                                + "; nothing else here reads with it");
            }
            return Optional.empty();
        }
        return Optional.of(reader(name(), environment));
    }

    /** Settings of a drafter without compression. */
    static CompressionSettings reader(String name, Environment environment) {
        return CompressionSettings.of(
                PrefillDrafterOption.file(name, environment),
                CompressionOptions.of(CompressionPolicy.USUAL));
    }

    /**
     * The name of the drafter.
     *
     * @throws UsageException if there is none
     */
    String name() {
        return PrefillDrafterOption.named(asked, isDemo)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        PagingFlags.POLICY
                                                + " "
                                                + PagePolicy.DRAFTER.word()
                                                + ": needs "
                                                + CompressionFlags.DRAFTER
                                                + ", a small model that reads what is written"));
    }
}
