package dev.varve.platform.host;

import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.prefix.CacheEventPublisher;
import dev.varve.platform.prefix.CacheStores;
import dev.varve.platform.replica.PooledEngine;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.ShardFactory;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.OpenedModel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Opens the replicas of a model, at the start and again when one broke. They have the plan, the
 * devices and the disk in common; shards, caches and what guesses their tokens are each one's own.
 */
final class ReplicaFactory implements PooledEngine.Opener, AutoCloseable {
    private final Parts parts;
    private final Helpers helpers;
    private final Kept kept;

    /** What guesses for replicas that are still to be opened; counted in the plan already. */
    private final Deque<Optional<SpeculationOptions>> ready = new ArrayDeque<>();

    /** What all replicas have in common. */
    record Parts(
            OpenedModel model, SplitMemoryPlan plan, ModelSettings settings, ShardFactory shards) {}

    /**
     * What each replica has of its own.
     *
     * @param speculation opens what guesses its tokens, if anything does
     * @param extras what an engine is given with that
     */
    record Helpers(
            Supplier<Optional<SpeculationOptions>> speculation,
            Function<Optional<SpeculationOptions>, LoadedModel.Extras> extras) {}

    /**
     * What keeps prompts for all replicas, and who is told of it.
     *
     * @param stores behind host memory
     * @param feed is told what each has
     */
    record Kept(CacheStores stores, Optional<CacheEventPublisher> feed) {
        void close() {
            stores.close();
            feed.ifPresent(CacheEventPublisher::close);
        }
    }

    /**
     * @param ready what guesses for the first replicas; belongs to this from now on
     * @param kept likewise
     */
    ReplicaFactory(
            Parts parts, Helpers helpers, List<Optional<SpeculationOptions>> ready, Kept kept) {
        this.parts = parts;
        this.helpers = helpers;
        this.ready.addAll(ready);
        this.kept = kept;
    }

    /** Opens all of them, or closes what was opened and fails as the first that cannot be. */
    List<LoadedModel> openAll(LoadProgress progress) {
        List<LoadedModel> opened = new ArrayList<>();
        try {
            for (int i = 0; i < parts.plan().replicas(); i++) {
                opened.add(open(progress));
            }
            return opened;
        } catch (RuntimeException | Error e) {
            opened.forEach(each -> closeAfter(each, e));
            throw e;
        }
    }

    private static void closeAfter(LoadedModel model, Throwable failure) {
        try {
            model.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private synchronized Optional<SpeculationOptions> speculation() {
        return ready.isEmpty() ? helpers.speculation().get() : ready.removeFirst();
    }

    private LoadedModel open(LoadProgress progress) {
        LoadedModel.Extras given = helpers.extras().apply(speculation());
        LoadedModel.Extras extras =
                new LoadedModel.Extras(
                        kept.stores().share(),
                        given.speculation(),
                        given.pages(),
                        kept.feed().map(CacheEventPublisher::share));
        try {
            return LoadedModel.load(
                    parts.model(),
                    parts.plan(),
                    parts.shards(),
                    parts.settings(),
                    extras,
                    progress);
        } catch (RuntimeException | Error e) {
            extras.close();
            throw e;
        }
    }

    @Override
    public PooledEngine open(int replica) {
        return member(open(LoadProgress.silent()));
    }

    /** A replica as an engine of a pool. */
    static PooledEngine member(LoadedModel loaded) {
        return new PooledEngine(loaded.engine(), loaded);
    }

    /** Frees what no replica took; the replicas must have ended. */
    @Override
    public synchronized void close() {
        ready.forEach(each -> each.ifPresent(options -> options.speculator().close()));
        ready.clear();
        kept.close();
    }
}
