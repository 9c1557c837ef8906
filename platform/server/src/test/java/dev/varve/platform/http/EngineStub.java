package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.prefix.CachedPrefixInfo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An engine without a cache that never breaks; its subclasses generate. */
public abstract class EngineStub implements Engine {
    @Override
    public EngineStatus status() {
        throw new AssertionError("nobody asks");
    }

    @Override
    public CompletableFuture<List<CachedPrefixInfo>> cacheEntries() {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletableFuture<Void> clearCache() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<VarveException> broken() {
        return new CompletableFuture<>();
    }

    @Override
    public boolean drain(Duration limit) {
        return true;
    }

    @Override
    public void close() {
        // Nothing runs.
    }
}
