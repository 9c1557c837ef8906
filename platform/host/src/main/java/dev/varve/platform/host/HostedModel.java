package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.Generation;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.TeacherForcing.LogitsSink;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.replica.EnginePool;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryPlan;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A model that is loaded, on all its devices. {@link #close} frees weights, caches and devices, and
 * ends the processes that were started for it. Thread-safe.
 */
@SuppressWarnings("exports") // see package-info
public final class HostedModel implements AutoCloseable {
    /** Where it computes. */
    record Place(Placement placement, PlacedShardFactory shards) {}

    /** How prompts become tokens and shorter. */
    record Reading(Tokenizer tokenizer, Optional<CompressingDrafter> drafter) {}

    /** The replicas, alike but for their caches. */
    private final List<LoadedModel> replicas;

    private final LoadedModel model;
    private final ReplicaFactory opening;
    private final Place place;
    private final Tokenizer tokenizer;
    private final double loadMillis;
    private final Optional<CompressingDrafter> drafter;
    private Optional<EnginePool> pool = Optional.empty();

    /** What shortens prompts: the drafter belongs to the model. */
    record CompressingDrafter(FilePrefillDrafter drafter, ConversationCompressor compressor) {}

    HostedModel(
            List<LoadedModel> replicas,
            ReplicaFactory opening,
            Place place,
            Reading reading,
            double loadMillis) {
        this.replicas = List.copyOf(replicas);
        this.opening = opening;
        model = this.replicas.getFirst();
        this.place = place;
        drafter = reading.drafter();
        tokenizer = reading.tokenizer();
        this.loadMillis = loadMillis;
    }

    /**
     * Opens and loads a model, without telling anybody how it goes.
     *
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     * @throws IllegalArgumentException if settings contradict each other
     */
    public static HostedModel open(HostSettings settings) {
        return open(settings, ModelLoadListener.silent());
    }

    /**
     * Opens and loads a model.
     *
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     * @throws IllegalArgumentException if settings contradict each other
     */
    public static HostedModel open(HostSettings settings, ModelLoadListener listener) {
        return PreparedModel.open(settings, listener).load();
    }

    /** The model file. */
    public GgufFile file() {
        return model.file();
    }

    /** The model as its family sees it. */
    public LayerSplitAdapter adapter() {
        return model.adapter();
    }

    /** Tokenizer of the file. */
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** Makes long conversations shorter; empty where none are to be. */
    public Optional<ConversationCompressor> compressor() {
        return drafter.map(CompressingDrafter::compressor);
    }

    /** The engine, started at the first call; it belongs to the model. */
    public synchronized Engine engine() {
        if (replicas.size() == 1) {
            return model.engine();
        }
        if (pool.isEmpty()) {
            pool =
                    Optional.of(
                            EnginePool.of(
                                    replicas.stream().map(ReplicaFactory::member).toList(),
                                    opening));
        }
        return pool.get();
    }

    /** Engines that share the requests. */
    public int replicaCount() {
        return replicas.size();
    }

    /** Which device computes which layers. */
    public Placement placement() {
        return place.placement();
    }

    /** The sizes that were chosen, those of one replica. */
    public MemoryPlan plan() {
        return model.plan();
    }

    /** The shards, their memory, health and times. */
    public List<ShardStatus> shards() {
        return replicas.size() == 1 ? model.shards() : engine().status().shards();
    }

    /** What each shard was planned to need, in layer order. */
    public List<ShardMemoryPlan> plannedShards() {
        return model.splitPlan().parts().stream().map(this::planned).toList();
    }

    private ShardMemoryPlan planned(SplitMemoryPlan.Part part) {
        DeviceInfo info = place.shards().info(part.where().device());
        return new ShardMemoryPlan(
                part.where(),
                part.memory().need(),
                SplitMemoryPlan.memoryOf(part.where().device(), info),
                info.memoryFreeBytes(),
                info.memoryTotalBytes());
    }

    /** Most threads for decode of a device of this process; empty where none has a choice. */
    public OptionalInt threads() {
        return place.shards().threads();
    }

    /** Time that opening and loading took. */
    public double loadMillis() {
        return loadMillis;
    }

    /** Logits of one token; at least the size of the tokenizer. */
    public int vocabularySize() {
        return adapter().shape().vocabularySize();
    }

    /** Computes the logits of every given token. Not to be mixed with the engine. */
    public void logits(int[] tokens, LogitsSink sink) {
        model.logits(tokens, sink);
    }

    /**
     * Continues a prompt with the most likely tokens, and waits for them; an end token is the last
     * thing that the model says and not among them. {@link #engine} can do more: sample, stream,
     * cancel, and answer several at once.
     *
     * @param prompt token ids, at least one
     * @param maxTokens most tokens to generate
     * @throws VarveException of kind CONTEXT_OVERFLOW if prompt and answer exceed the context,
     *     CANCELLED if the thread is interrupted, of others if a device fails
     */
    public int[] generate(int[] prompt, int maxTokens) {
        GenerationCollector answer = new GenerationCollector();
        Generation generation =
                engine().submit(
                                GenerationRequest.greedy(prompt, maxTokens)
                                        .endingAt(tokenizer.endTokens()),
                                answer);
        return answer.await(generation);
    }

    /**
     * The tokens of a text that is to be continued, behind the token that begins a text where the
     * model was trained so. Control tokens that are spelled out in it are recognised.
     */
    public int[] encode(String text) {
        int[] encoded = tokenizer.encode(text, true);
        if (!tokenizer.addsBos()) {
            return encoded;
        }
        int bos = tokenizer.bosId().orElseThrow();
        if (encoded.length > 0 && encoded[0] == bos) {
            return encoded;
        }
        int[] begun = new int[encoded.length + 1];
        begun[0] = bos;
        System.arraycopy(encoded, 0, begun, 1, encoded.length);
        return begun;
    }

    /**
     * Continues a text with the most likely tokens, and waits for them.
     *
     * @param maxTokens most tokens to generate
     * @return what follows, without the text itself
     * @throws VarveException as for tokens
     */
    public String generate(String text, int maxTokens) {
        int[] answer = generate(encode(text), maxTokens);
        // A model may have more logits than its tokenizer has tokens; those have no text.
        int known = tokenizer.vocabularySize();
        return tokenizer.decode(Arrays.stream(answer).filter(id -> id < known).toArray());
    }

    @Override
    public void close() {
        // Its devices go after the model's shards, which compute on them.
        PlacedShardFactory devices = place.shards();
        try (devices) {
            closeModel();
        }
    }

    private synchronized void closeReplicas() {
        pool.ifPresentOrElse(EnginePool::close, () -> replicas.forEach(LoadedModel::close));
    }

    /** The engine first: it may still ask the drafter. */
    private void closeModel() {
        ReplicaFactory last = opening;
        try (last) {
            closeReplicas();
        } finally {
            drafter.ifPresent(each -> each.drafter().close());
        }
    }
}
