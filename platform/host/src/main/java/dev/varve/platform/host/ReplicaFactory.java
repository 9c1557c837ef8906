package dev.varve.platform.host;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.prefix.CacheEventPublisher;
import dev.varve.platform.replica.LoadedEngine;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.ShardFactory;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Opens the replicas of a model, at the start and again after a failure. They share the plan, the
 * devices and the disk store; each has its own shards, caches and speculator.
 */
final class ReplicaFactory implements LoadedEngine.Opener, AutoCloseable {
    private final Parts parts;
    private final CacheResources cacheResources;
    private final Supplier<Optional<AsyncPageScorer>> pages;
    private final Supplier<Optional<SpeculationOptions>> speculation;

    /** Speculators for replicas that are not opened yet; the plan already includes them. */
    private final Deque<Optional<SpeculationOptions>> ready = new ArrayDeque<>();

    /** Parts that all replicas share. */
    record Parts(
            OpenedModel model, SplitMemoryPlan plan, ModelSettings settings, ShardFactory shards) {}

    /**
     * Stores of cached prefixes for all replicas, and the publisher of their events.
     *
     * @param stores stores behind host memory
     * @param eventPublisher receives the cache events of each replica
     */
    record CacheResources(
            CacheStoreFactory.Stores stores, Optional<CacheEventPublisher> eventPublisher) {
        void close() {
            stores.close();
            eventPublisher.ifPresent(CacheEventPublisher::close);
        }
    }

    /**
     * @param cacheResources owned by this object from now on
     * @param pages creates a replica's page scorer, if there is one
     * @param speculation opens a replica's speculator, if there is one
     * @param ready speculators of the first replicas; owned by this object from now on
     */
    ReplicaFactory(
            Parts parts,
            CacheResources cacheResources,
            Supplier<Optional<AsyncPageScorer>> pages,
            Supplier<Optional<SpeculationOptions>> speculation,
            List<Optional<SpeculationOptions>> ready) {
        this.parts = parts;
        this.cacheResources = cacheResources;
        this.pages = pages;
        this.speculation = speculation;
        this.ready.addAll(ready);
    }

    /** Opens all replicas; if one fails, closes the others and throws its failure. */
    List<LoadedModel> openAll(LoadProgressListener progress) {
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

    /** Lets other servers send prompts to the engine of the replicas, if that is configured. */
    void serve(Supplier<Engine> engine) {
        cacheResources.stores().service().ifPresent(service -> service.start(engine));
    }

    private synchronized Optional<SpeculationOptions> speculation() {
        return ready.isEmpty() ? speculation.get() : ready.removeFirst();
    }

    private LoadedModel open(LoadProgressListener progress) {
        Optional<SpeculationOptions> guesses = speculation();
        Optional<AsyncPageScorer> scorer = pages.get();
        LoadedModel.EngineComponents extras =
                new LoadedModel.EngineComponents(
                        cacheResources.stores().tiers().share(),
                        guesses,
                        scorer,
                        cacheResources.eventPublisher().map(CacheEventPublisher::share));
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
    public LoadedEngine open(int replica) {
        return member(open(LoadProgressListener.silent()));
    }

    /** Wraps a replica as an engine of a pool. */
    static LoadedEngine member(LoadedModel loaded) {
        return new LoadedEngine(loaded.engine(), loaded);
    }

    /** Closes unused speculators, the stores and the event publisher; replicas must have ended. */
    @Override
    public synchronized void close() {
        ready.forEach(each -> each.ifPresent(options -> options.speculator().close()));
        ready.clear();
        cacheResources.close();
    }
}
