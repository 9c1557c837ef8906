package dev.varve.platform.replica;

import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.prefix.RecentPrefix;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Fills the caches of a replica that was loaded again: with the prefixes that it had before a drain
 * and those of the other replicas, the most recently used first, as far as a store has them.
 */
final class ReplicaWarmup {
    /** Maximum prefixes of each replica. */
    private static final int MOST = 32;

    private ReplicaWarmup() {}

    /** Returns the recent prefixes of an engine; none if it has ended. */
    static CompletableFuture<List<RecentPrefix>> recent(LoadedEngine engine) {
        return engine.engine().recentPrefixes(MOST).exceptionally(ended -> List.of());
    }

    /** Starts the warm-up of a replica; does not wait for it. */
    static void start(Replica replica, LoadedEngine opened, List<Replica> others) {
        List<CompletableFuture<List<RecentPrefix>>> each =
                others.stream()
                        .filter(other -> other != replica)
                        .flatMap(other -> other.member().stream())
                        .map(ReplicaWarmup::recent)
                        .toList();
        CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
                .thenRun(() -> warm(replica, opened, merged(replica.takeRecent(), each)));
    }

    /** Returns the prefixes of a replica and of the others, the most recently used first. */
    private static List<RecentPrefix> merged(
            List<RecentPrefix> own, List<CompletableFuture<List<RecentPrefix>>> others) {
        Stream<RecentPrefix> theirs = others.stream().flatMap(each -> each.join().stream());
        return Stream.concat(own.stream(), theirs)
                .sorted(Comparator.comparing(RecentPrefix::idle))
                .toList();
    }

    private static void warm(Replica replica, LoadedEngine opened, List<RecentPrefix> prefixes) {
        if (!prefixes.isEmpty()) {
            opened.engine().warm(prefixes, loaded -> replica.prefixEstimate().add(hashes(loaded)));
        }
    }

    private static PromptBlockHashes hashes(RecentPrefix prefix) {
        return PromptBlockHashes.of(
                new GenerationRequest.Prompt(prefix.tokens(), new int[0], prefix.scope()));
    }
}
