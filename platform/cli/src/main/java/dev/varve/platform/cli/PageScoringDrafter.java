package dev.varve.platform.cli;

import dev.varve.platform.compression.CompressionPolicy;
import dev.varve.platform.compression.conversation.CompressionOptions;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.RequestedPaging;

import java.util.Optional;

/**
 * The drafter that pages of a bounded attention cache are chosen by, where that was asked for.
 *
 * @param asked by {@code --prefill-drafter}, or else by the variable that stands for it
 * @param isDemo whether the model is a toy, for which there is a toy that reads
 */
record PageScoringDrafter(Optional<String> asked, boolean isDemo) {
    /** Whether there is one. */
    boolean isThere() {
        return asked.isPresent() || isDemo;
    }

    /** Whether pages of a pool are chosen by a drafter. */
    static boolean scores(Optional<RequestedPaging> pool) {
        return pool.filter(request -> request.chosenPolicy() == PagePolicy.DRAFTER).isPresent();
    }

    /**
     * What reads, and compresses nothing; empty where pages are chosen in another way.
     *
     * @throws UsageException if there is no drafter, or one that is of no use
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

    /** A drafter that compresses nothing. */
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
