package dev.varve.platform.runtime;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Loads all shards of a model: those of other processes concurrently, those of this process one
 * after the other.
 */
final class ShardLoader {
    private final ShardFactory factory;
    private final SplitMemoryPlan plan;
    private final ModelSettings settings;
    private final ProgressSum progress;

    ShardLoader(
            ShardFactory factory,
            SplitMemoryPlan plan,
            ModelSettings settings,
            LoadProgressListener progress) {
        this.factory = factory;
        this.plan = plan;
        this.settings = settings;
        this.progress = new ProgressSum(progress, plan.parts().size());
    }

    /** Loads everything; on a failure closes the loaded shards and throws the first failure. */
    List<Shard> run() {
        List<CompletableFuture<Shard>> opening = new ArrayList<>();
        Deque<Runnable> ownWork = new ArrayDeque<>();
        for (int i = 0; i < plan.parts().size(); i++) {
            boolean local = plan.parts().get(i).where().device().isLocal();
            opening.add(start(i, local ? ownWork::addLast : Thread::startVirtualThread));
        }
        ownWork.forEach(Runnable::run);
        List<Shard> shards = new ArrayList<>();
        List<RuntimeException> failures = new ArrayList<>();
        for (CompletableFuture<Shard> each : opening) {
            try {
                shards.add(each.join());
            } catch (CompletionException e) {
                failures.add(e.getCause() instanceof RuntimeException cause ? cause : e);
            }
        }
        if (!failures.isEmpty()) {
            RuntimeException first = failures.getFirst();
            failures.stream().skip(1).forEach(first::addSuppressed);
            shards.forEach(shard -> close(shard, first));
            throw first;
        }
        for (int i = 1; i < shards.size(); i++) {
            if (shards.get(i - 1) instanceof LocalShard before
                    && shards.get(i) instanceof LocalShard next) {
                before.connect(next, shards.size() + 2);
            }
        }
        return shards;
    }

    private static void close(Shard shard, RuntimeException reason) {
        try {
            shard.close();
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    private CompletableFuture<Shard> start(int index, Executor executor) {
        SplitMemoryPlan.Part part = plan.parts().get(index);
        ShardOptions captures =
                settings.computation()
                        .shardOptions(part.memory().capacities())
                        .withCaptures(settings.drafts().captures());
        boolean scores =
                plan.pool()
                        .options()
                        .filter(bounded -> bounded.policy() == PagePolicy.QK)
                        .isPresent();
        ShardOptions options = scores ? captures.scoringPages() : captures;
        Placement.Part where = part.where();
        return CompletableFuture.supplyAsync(
                () -> factory.open(where, options, progress.of(index)), executor);
    }

    /** Adds up the progress of the shards. */
    private static final class ProgressSum {
        private final LoadProgressListener target;
        private final long[] done;
        private final long[] total;

        ProgressSum(LoadProgressListener target, int shards) {
            this.target = target;
            done = new long[shards];
            total = new long[shards];
        }

        LoadProgressListener of(int shard) {
            return (shardDone, shardTotal) -> report(shard, shardDone, shardTotal);
        }

        private synchronized void report(int shard, long shardDone, long shardTotal) {
            done[shard] = shardDone;
            total[shard] = shardTotal;
            long sumDone = 0;
            long sumTotal = 0;
            for (int i = 0; i < done.length; i++) {
                sumDone += done[i];
                sumTotal += total[i];
            }
            target.loaded(sumDone, sumTotal);
        }
    }
}
