package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.shard.lora.AdapterChange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An engine whose requests hold the LoRA adapters that they use until they end. Owns the other
 * engine. Thread-safe.
 */
public final class LeasingEngine implements Engine {
    private final Engine engine;
    private final AdapterLeases leases;

    /** Wraps an engine, which this one owns from now on. */
    public LeasingEngine(Engine engine, AdapterLeases leases) {
        this.engine = engine;
        this.leases = leases;
    }

    @Override
    public List<GenerationHandle> submit(List<NewRequest> submissions) {
        List<AdapterLeases.Lease> held = new ArrayList<>();
        try {
            List<NewRequest> holding = new ArrayList<>();
            for (NewRequest each : submissions) {
                AdapterLeases.Lease lease = leases.acquire(each.request().prompt().scope().lora());
                held.add(lease);
                holding.add(
                        new NewRequest(
                                each.request(), new HoldingListener(each.listener(), lease)));
            }
            return engine.submit(holding);
        } catch (RuntimeException | Error e) {
            held.forEach(AdapterLeases.Lease::close);
            throw e;
        }
    }

    /** Ends the lease with the request. */
    private record HoldingListener(GenerationListener target, AdapterLeases.Lease lease)
            implements GenerationListener {
        @Override
        public void onRestore() {
            target.onRestore();
        }

        @Override
        public void onStart(int cachedTokens) {
            target.onStart(cachedTokens);
        }

        @Override
        public void onPreempt() {
            target.onPreempt();
        }

        @Override
        public void onPrefill(int doneTokens, int promptTokens) {
            target.onPrefill(doneTokens, promptTokens);
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            return target.onToken(token);
        }

        @Override
        public void onEnd(GenerationEnd end) {
            try (lease) {
                target.onEnd(end);
            }
        }

        @Override
        public void onError(VarveException error) {
            try (lease) {
                target.onError(error);
            }
        }
    }

    @Override
    public CompletableFuture<Void> adapt(AdapterChange change) {
        return engine.adapt(change);
    }

    @Override
    public Optional<ReplicaControl> replicaControl() {
        return engine.replicaControl();
    }

    @Override
    public EngineStatus status() {
        return engine.status();
    }

    @Override
    public CompletableFuture<List<CachedPrefixInfo>> cacheEntries() {
        return engine.cacheEntries();
    }

    @Override
    public CompletableFuture<Void> clearCache() {
        return engine.clearCache();
    }

    @Override
    public CompletableFuture<Void> saveCache() {
        return engine.saveCache();
    }

    @Override
    public CompletableFuture<VarveException> broken() {
        return engine.broken();
    }

    @Override
    public boolean drain(Duration limit) {
        return engine.drain(limit);
    }

    @Override
    public void close() {
        engine.close();
    }
}
