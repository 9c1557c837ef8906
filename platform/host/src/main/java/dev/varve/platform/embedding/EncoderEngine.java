package dev.varve.platform.embedding;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The engine of a model that generates no text: it refuses all requests. */
public final class EncoderEngine implements Engine {
    private final String id;
    private final BatchingTextEmbedder embedder;
    private final CompletableFuture<VarveException> broken = new CompletableFuture<>();

    /**
     * @param id name of the model for clients
     * @param embedder closed by its owner
     */
    public EncoderEngine(String id, BatchingTextEmbedder embedder) {
        this.id = id;
        this.embedder = embedder;
    }

    @Override
    public List<GenerationHandle> submit(List<NewRequest> submissions) {
        throw new VarveException(VarveException.Kind.INVALID_REQUEST, refusal(id));
    }

    /** Returns the message for requests that ask a model to generate. */
    public static String refusal(String id) {
        return "model "
                + id
                + " computes embeddings or scores and generates no text; use /v1/embeddings or"
                + " /v1/rerank, or another model";
    }

    @Override
    public EngineStatus status() {
        int waiting = embedder.waiting();
        return new EngineStatus(
                new EngineStatus.Load(embedder.maxTokens(), 1, waiting, Math.min(1, waiting)),
                new KvSlotUsage(0, 0, 0),
                new ShardMemory(embedder.weightBytes(), 0, 0, 0),
                new EngineStatus.EngineCounters(
                        new EngineStatus.Tokens(embedder.encodedTokens(), 0, 0), 0, 0, 0),
                PrefixCacheStatus.NONE,
                List.of());
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
        return broken;
    }

    @Override
    public boolean drain(Duration limit) {
        return embedder.waiting() == 0;
    }

    @Override
    public void close() {
        // The owner of the embedder closes it.
    }
}
