package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A shard of a {@link PlainModel} that computes token by token in loops over its own arrays: no
 * native library, no order of summation that depends on the batch. So chunks, batches and splits
 * give equal bits. It refuses to read what was never written, can be lost and can come back.
 * Thread-safe.
 */
public class PlainShard extends FakeShard {
    /** Penalty on a score per row of distance, so that the order of rows matters. */
    private static final float DISTANCE = 0.01f;

    /**
     * Sizes of the caches.
     *
     * @param slots rows of the KV pool
     * @param stateRows state rows, the zero row included
     * @param captures layers whose input batches may ask for
     * @param rollbackBuffers for drafted chunks
     */
    public record Sizes(
            int slots, int stateRows, List<Integer> captures, RollbackBufferSizes rollbackBuffers) {
        public Sizes {
            captures = List.copyOf(captures);
        }

        /** Sizes of a shard that captures nothing and takes no drafted chunks. */
        public Sizes(int slots, int stateRows) {
            this(slots, stateRows, List.of(), RollbackBufferSizes.NONE);
        }

        /** Those of any shard. */
        public static Sizes of(ShardOptions options) {
            return new Sizes(
                    options.capacities().slots(),
                    options.capacities().stateRows(),
                    options.captures(),
                    options.capacities().rollbackBuffers());
        }
    }

    private final PlainModel model;
    private final Sizes sizes;
    private final PlainCaches caches;
    private final LogitsBuffers buffers = new LogitsBuffers();
    private float[] logits = buffers.latest();
    private Optional<String> missing = Optional.empty();

    /** Of the last batch, by layer and chunk. */
    private final Map<Integer, Map<SequenceChunk, List<float[]>>> queries = new TreeMap<>();

    private boolean usable = true;
    private boolean closed;
    private long restarts;
    private CompletableFuture<Void> back = new CompletableFuture<>();

    /** A shard with a turn of its own. */
    public PlainShard(PlainModel model, LayerRange range, Sizes sizes) {
        this(model, range, sizes, new Object());
    }

    /** A shard that takes turns with others. */
    public PlainShard(PlainModel model, LayerRange range, Sizes sizes, Object turn) {
        super(range, "plain:" + range.begin(), turn);
        this.model = model;
        this.sizes = sizes;
        caches = new PlainCaches(model.shape().layers(), range, sizes.slots(), sizes.stateRows());
    }

    /** Called before a batch is computed, on the thread that computes it. */
    protected void beforeBatch(Batch batch) {
        // Tests that want to look or to wait override this.
    }

    @Override
    public void keepLogits(int results) {
        buffers.keep(results);
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        beforeBatch(batch);
        return unlessLost(() -> compute(batch, boundary));
    }

    @Override
    public boolean canWarmUp() {
        return true;
    }

    @Override
    public CompletableFuture<ShardResult> warmUp(Batch batch, Optional<LayerActivations> boundary) {
        requireBoundary(batch, boundary);
        requireTokensAndCaptures(batch);
        boolean ends = range().end() == model.shape().layerCount();
        int rows = ends ? batch.outputs() : 0;
        float[] activation = new float[batch.tokens() * PlainModel.WIDTH];
        return CompletableFuture.completedFuture(
                new ShardResult(
                        new float[rows * model.shape().vocabularySize()],
                        new int[batch.outputs()],
                        rows,
                        ends
                                ? Optional.empty()
                                : Optional.of(new HostActivations(activation, batch.tokens())),
                        batch.captures().stream()
                                .filter(range()::computesInputOf)
                                .map(
                                        layer ->
                                                new CapturedFeature(
                                                        layer, activation, batch.tokens()))
                                .toList()));
    }

    private synchronized <T> CompletableFuture<T> unlessLost(Supplier<T> work) {
        if (closed) {
            throw new IllegalStateException("shard " + range() + " is closed");
        }
        if (!usable) {
            return CompletableFuture.failedFuture(
                    new ShardLostException(
                            device() + " is lost: " + missing.orElse("it was not asked for")));
        }
        try {
            return CompletableFuture.completedFuture(work.get());
        } catch (VarveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ShardResult compute(Batch batch, Optional<LayerActivations> boundary) {
        requireBoundary(batch, boundary);
        requireTokensAndCaptures(batch);
        change(batch.changes(), caches);
        requirePlaces(batch.chunks());
        queries.clear();
        List<CapturedFeature> features = new ArrayList<>();
        float[][] hidden = boundary.map(PlainShard::columns).orElseGet(() -> embedded(batch));
        for (int layer = range().begin(); layer < range().end(); layer++) {
            if (range().computesInputOf(layer) && batch.captures().contains(layer)) {
                features.add(new CapturedFeature(layer, flat(hidden), hidden.length));
            }
            int column = 0;
            for (SequenceChunk chunk : batch.chunks()) {
                run(layer, chunk, hidden, column);
                column += chunk.tokens().length;
            }
        }
        if (batch.captures().contains(range().end())) {
            features.add(new CapturedFeature(range().end(), flat(hidden), hidden.length));
        }
        for (SequenceChunk chunk : batch.chunks()) {
            caches.stateEnds(
                    chunk.writeRow(),
                    chunk.place().isDrafted()
                            ? PlainCaches.UNSETTLED
                            : chunk.firstPosition() + chunk.tokens().length);
        }
        if (range().end() < model.shape().layerCount()) {
            LayerActivations next = new HostActivations(flat(hidden), hidden.length);
            return new ShardResult(
                    new float[0],
                    new int[batch.outputs()],
                    0,
                    Optional.of(next),
                    features,
                    scores(batch));
        }
        int[] best = outputs(batch.chunks(), batch.outputs(), hidden);
        return new ShardResult(
                logits, best, best.length, Optional.empty(), features, scores(batch));
    }

    private void keepQuery(int layer, SequenceChunk chunk, float[] query) {
        List<float[]> kept =
                queries.computeIfAbsent(layer, key -> new IdentityHashMap<>())
                        .computeIfAbsent(chunk, key -> new ArrayList<>());
        kept.add(query);
        if (kept.size() > PageQuery.COLUMNS) {
            kept.removeFirst();
        }
    }

    /** Answers what a batch asks about pages, see {@link KeyBounds}. */
    private List<PageScores> scores(Batch batch) {
        List<PageScores> scores = new ArrayList<>();
        for (int number = 0; number < batch.queries().size(); number++) {
            PageQuery query = batch.queries().get(number);
            SequenceChunk chunk = batch.chunks().get(query.chunkIndex());
            for (Map.Entry<Integer, Map<SequenceChunk, List<float[]>>> layer : queries.entrySet()) {
                List<Optional<float[]>> bounds =
                        query.pages().stream()
                                .map(place -> caches.pageKeys(layer.getKey(), place))
                                .map(rows -> KeyBounds.of(rows, PlainModel.HEAD))
                                .toList();
                float[] values =
                        KeyBounds.score(
                                flat(layer.getValue().get(chunk)), 1, PlainModel.HEAD, 1, bounds);
                scores.add(new PageScores(number, layer.getKey(), values));
            }
        }
        return scores;
    }

    private static float[] flat(List<float[]> vectors) {
        float[] all = new float[vectors.size() * PlainModel.HEAD];
        for (int i = 0; i < vectors.size(); i++) {
            System.arraycopy(vectors.get(i), 0, all, i * PlainModel.HEAD, PlainModel.HEAD);
        }
        return all;
    }

    private void requireBoundary(Batch batch, Optional<LayerActivations> boundary) {
        if (boundary.isPresent() != (range().begin() > 0)) {
            throw new IllegalArgumentException(
                    "range "
                            + range()
                            + (boundary.isPresent() ? " takes no" : " needs a")
                            + " boundary activation");
        }
        boundary.ifPresent(
                given -> {
                    if (given.tokens() != batch.tokens()
                            || given.values().length < batch.tokens() * PlainModel.WIDTH) {
                        throw new IllegalArgumentException(
                                "activation of "
                                        + given.tokens()
                                        + " tokens for a batch of "
                                        + batch.tokens());
                    }
                });
    }

    private void requireTokensAndCaptures(Batch batch) {
        if (!sizes.captures().containsAll(batch.captures())) {
            throw new IllegalArgumentException(
                    "captures " + batch.captures() + " of " + sizes.captures());
        }
        int vocabulary = model.shape().vocabularySize();
        for (SequenceChunk chunk : batch.chunks()) {
            for (int token : chunk.tokens()) {
                if (token < 0 || token >= vocabulary) {
                    throw new IllegalArgumentException(
                            "token " + token + " of a vocabulary of " + vocabulary);
                }
            }
        }
    }

    /**
     * Rejects a chunk that reads places that were not written for it, and two chunks that write to
     * the same places.
     */
    private void requirePlaces(List<SequenceChunk> chunks) {
        Set<Long> sequences = new HashSet<>();
        Set<Integer> rows = new HashSet<>();
        SequenceChunk before = null;
        for (SequenceChunk chunk : chunks) {
            boolean continues = continues(before, chunk);
            if (!sequences.add(chunk.sequence()) && !continues) {
                throw new IllegalArgumentException(
                        "sequence " + chunk.sequence() + " twice in a batch");
            }
            if (!rows.add(chunk.writeRow()) && caches.keepsState()) {
                throw new IllegalArgumentException(
                        "state row " + chunk.writeRow() + " is written twice in a batch");
            }
            for (SequenceChunk other : chunks) {
                if (other.sequence() != chunk.sequence()
                        && chunk.slots().begin() < other.slots().end()
                        && other.slots().begin() < chunk.slots().end()) {
                    throw new IllegalArgumentException(
                            chunk.slots() + " and " + other.slots() + " overlap in a batch");
                }
            }
            if (chunk.slots().end() > sizes.slots()) {
                throw new IllegalArgumentException(
                        chunk.slots() + " in a pool of " + sizes.slots() + " slots");
            }
            if (chunk.place().isDrafted()
                    && (chunk.place().rollbackBuffer() >= sizes.rollbackBuffers().count()
                            || chunk.tokens().length > sizes.rollbackBuffers().tokens())) {
                throw new IllegalArgumentException(
                        chunk + " does not fit " + sizes.rollbackBuffers());
            }
            caches.requireRow(chunk.writeRow());
            if (!continues) {
                caches.requireState(chunk.readRow(), chunk.firstPosition());
                caches.requireHeld(
                        chunk.slots().begin(), chunk.place().positions(), chunk.firstPosition());
            }
            before = chunk;
        }
    }

    /** Whether a chunk continues the one before it after a checkpoint. */
    private boolean continues(SequenceChunk before, SequenceChunk chunk) {
        if (before == null || before.sequence() != chunk.sequence()) {
            return false;
        }
        boolean reads =
                chunk.readRow() == before.writeRow()
                        && chunk.firstPosition() == before.firstPosition() + before.tokens().length;
        boolean slides =
                model.shape().layers().stream()
                        .anyMatch(LayerState.SlidingAttention.class::isInstance);
        if (!reads || slides || before.place().isDrafted() || chunk.place().isDrafted()) {
            throw new IllegalArgumentException(
                    "sequence "
                            + chunk.sequence()
                            + " twice in a batch: "
                            + chunk
                            + " does not continue "
                            + before);
        }
        return true;
    }

    private float[][] embedded(Batch batch) {
        return batch.chunks().stream()
                .flatMapToInt(chunk -> Arrays.stream(chunk.tokens()))
                .mapToObj(model::embed)
                .toArray(float[][]::new);
    }

    private static float[][] columns(LayerActivations boundary) {
        float[] values = boundary.values();
        float[][] columns = new float[boundary.tokens()][PlainModel.WIDTH];
        for (int i = 0; i < columns.length; i++) {
            System.arraycopy(values, i * PlainModel.WIDTH, columns[i], 0, PlainModel.WIDTH);
        }
        return columns;
    }

    private static float[] flat(float[][] columns) {
        float[] values = new float[columns.length * PlainModel.WIDTH];
        for (int i = 0; i < columns.length; i++) {
            System.arraycopy(columns[i], 0, values, i * PlainModel.WIDTH, PlainModel.WIDTH);
        }
        return values;
    }

    /** Computes a layer for the tokens of a chunk, in their order. */
    private void run(int layer, SequenceChunk chunk, float[][] hidden, int firstColumn) {
        int count = chunk.tokens().length;
        switch (model.shape().layers().get(layer)) {
            case LayerState.FullAttention ignored -> {
                PlainCaches.Window seen =
                        caches.rows(
                                layer,
                                chunk.slots().begin(),
                                chunk.place().positions(),
                                chunk.firstPosition() - 1);
                for (int i = 0; i < count; i++) {
                    float[] input = PlainModel.normalised(hidden[firstColumn + i]);
                    int position = chunk.firstPosition() + i;
                    float[] key = model.product(layer, "attn_k", input);
                    float[] value = model.product(layer, "attn_v", input);
                    caches.write(
                            layer,
                            chunk.slots().begin() + chunk.place().positions().offset(position),
                            position,
                            key,
                            value);
                    seen.keys().add(key);
                    seen.values().add(value);
                    keepQuery(layer, chunk, model.product(layer, "attn_q", input));
                    hidden[firstColumn + i] = attended(layer, hidden[firstColumn + i], input, seen);
                }
            }
            case LayerState.SlidingAttention sliding -> {
                PlainCaches.Window before = caches.window(layer, chunk.readRow());
                caches.beginRollback(layer, chunk.place());
                List<float[]> keys = new ArrayList<>(before.keys());
                List<float[]> values = new ArrayList<>(before.values());
                for (int i = 0; i < count; i++) {
                    float[] input = PlainModel.normalised(hidden[firstColumn + i]);
                    keys.add(model.product(layer, "attn_k", input));
                    values.add(model.product(layer, "attn_v", input));
                    int first = Math.max(0, keys.size() - sliding.window());
                    PlainCaches.Window seen =
                            new PlainCaches.Window(
                                    keys.subList(first, keys.size()),
                                    values.subList(first, keys.size()));
                    hidden[firstColumn + i] = attended(layer, hidden[firstColumn + i], input, seen);
                    caches.recordRollback(
                            layer,
                            chunk.place(),
                            new PlainCaches.Window(List.copyOf(keys), List.copyOf(values)));
                }
                caches.window(layer, chunk.writeRow(), new PlainCaches.Window(keys, values));
            }
            case LayerState.Recurrent ignored -> {
                PlainCaches.State state = caches.state(layer, chunk.readRow());
                caches.beginRollback(layer, chunk.place());
                for (int i = 0; i < count; i++) {
                    float[] before = hidden[firstColumn + i];
                    float[] input = PlainModel.normalised(before);
                    float[] mixed = convolved(layer, state, input);
                    state = advanced(layer, state, input, mixed);
                    float[] query = model.product(layer, "attn_q", mixed);
                    hidden[firstColumn + i] =
                            model.finish(layer, before, applied(state.matrix(), query));
                    caches.recordRollback(layer, chunk.place(), state);
                }
                caches.state(layer, chunk.writeRow(), state);
            }
            case LayerState other ->
                    throw new IllegalArgumentException(
                            "layer " + layer + " is no plain one: " + other);
        }
    }

    /** Attends with the last of the rows as the token's own. */
    private float[] attended(int layer, float[] before, float[] input, PlainCaches.Window seen) {
        float[] query = model.product(layer, "attn_q", input);
        int rows = seen.keys().size();
        double[] totals = new double[query.length];
        double sum = 0;
        for (int row = 0; row < rows; row++) {
            float weight =
                    weight(dot(query, seen.keys().get(row)) / 2 - DISTANCE * (rows - 1 - row));
            sum += weight;
            float[] value = seen.values().get(row);
            for (int i = 0; i < totals.length; i++) {
                totals[i] += weight * value[i];
            }
        }
        float[] mixed = new float[query.length];
        for (int i = 0; i < mixed.length; i++) {
            mixed[i] = (float) (totals[i] / sum);
        }
        return model.finish(layer, before, mixed);
    }

    /** Positive and increasing like the exponential function, but sooner computed. */
    private static float weight(float score) {
        float terms = 1 + Math.abs(score) + score * score / 2;
        return score < 0 ? 1 / terms : terms;
    }

    private static float dot(float[] one, float[] other) {
        float sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }

    private float[] convolved(int layer, PlainCaches.State state, float[] input) {
        float[] mixed = new float[PlainModel.WIDTH];
        for (int channel = 0; channel < mixed.length; channel++) {
            float sum = input[channel] * model.tap(layer, channel, PlainModel.TAPS - 1);
            for (int tap = 0; tap < PlainModel.TAPS - 1; tap++) {
                sum +=
                        state.inputs()[tap * PlainModel.WIDTH + channel]
                                * model.tap(layer, channel, tap);
            }
            mixed[channel] = sum;
        }
        return mixed;
    }

    /** The state with a token in it: what the matrix said of its key moves towards its value. */
    private PlainCaches.State advanced(
            int layer, PlainCaches.State state, float[] input, float[] mixed) {
        int width = PlainModel.WIDTH;
        float[] inputs = Arrays.copyOfRange(state.inputs(), width, state.inputs().length + width);
        System.arraycopy(input, 0, inputs, inputs.length - width, width);
        float decay = sigmoid(model.product(layer, "ssm_alpha", input)[0]);
        float beta = sigmoid(model.product(layer, "ssm_beta", input)[0]);
        float[] key = PlainModel.normalised(model.product(layer, "attn_k", mixed));
        float[] value = model.product(layer, "attn_v", mixed);
        float[] matrix = state.matrix().clone();
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] *= decay;
        }
        float[] said = applied(matrix, key);
        for (int row = 0; row < value.length; row++) {
            float step = beta * (value[row] - said[row]) / key.length;
            for (int column = 0; column < key.length; column++) {
                matrix[row * key.length + column] += step * key[column];
            }
        }
        return new PlainCaches.State(inputs, matrix);
    }

    private static float[] applied(float[] matrix, float[] vector) {
        float[] result = new float[matrix.length / vector.length];
        for (int row = 0; row < result.length; row++) {
            for (int column = 0; column < vector.length; column++) {
                result[row] += matrix[row * vector.length + column] * vector[column];
            }
        }
        return result;
    }

    private static float sigmoid(float value) {
        return (float) (1 / (1 + StrictMath.exp(-value)));
    }

    /** Fills the logits, with no number where only the best token was wanted. */
    private int[] outputs(List<SequenceChunk> chunks, int rows, float[][] hidden) {
        int vocabulary = model.shape().vocabularySize();
        logits = rows > 0 ? buffers.next(rows * vocabulary) : buffers.latest();
        int[] best = new int[rows];
        int row = 0;
        int column = 0;
        for (SequenceChunk chunk : chunks) {
            int count = chunk.outputs().count(chunk.tokens().length);
            column += chunk.tokens().length;
            for (int i = count; i > 0; i--) {
                int begin = row * vocabulary;
                model.logits(hidden[column - i], logits, begin);
                if (chunk.outputs().isBest()) {
                    best[row] = argmax(begin, vocabulary);
                    Arrays.fill(logits, begin, begin + vocabulary, Float.NaN);
                }
                row++;
            }
        }
        return best;
    }

    private int argmax(int begin, int count) {
        int best = 0;
        for (int i = 0; i < count; i++) {
            if (Float.isNaN(logits[begin + i])) {
                return -1;
            }
            best = logits[begin + i] > logits[begin + best] ? i : best;
        }
        return best;
    }

    @Override
    public synchronized ShardMemory memory() {
        return new ShardMemory(model.weightBytes(range()), 0, caches.bytes(), 0);
    }

    @Override
    public CompletableFuture<Void> change(CacheChanges changes) {
        return unlessLost(
                () -> {
                    change(changes, caches);
                    return null;
                });
    }

    private static void change(CacheChanges changes, PlainCaches caches) {
        changes.commits().forEach(caches::commit);
        changes.moves().forEach(caches::make);
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        return unlessLost(
                () -> {
                    parts.forEach(caches::requireFits);
                    for (int i = 0; i < parts.size(); i++) {
                        target.accept(i, caches.export(parts.get(i)));
                    }
                    return null;
                });
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        return unlessLost(
                () -> {
                    parts.forEach(caches::requireFits);
                    for (int i = 0; i < parts.size(); i++) {
                        ByteBuffer bytes = ByteBuffer.allocate((int) parts.get(i).bytes());
                        source.give(i, bytes);
                        caches.adopt(parts.get(i), bytes.flip());
                    }
                    return null;
                });
    }

    /** Takes the shard away, with everything that it holds. */
    public synchronized void lose(String why) {
        caches.clear();
        missing = Optional.of(why);
        usable = false;
    }

    /** Brings it back; it is used again once somebody has asked for it. */
    public void comeBack() {
        CompletableFuture<Void> waiting;
        synchronized (this) {
            missing = Optional.empty();
            restarts++;
            waiting = back;
            back = new CompletableFuture<>();
        }
        waiting.complete(null);
    }

    @Override
    public synchronized ShardHealth health() {
        return missing.isEmpty()
                ? ShardHealth.ready(restarts)
                : new ShardHealth(ShardHealth.State.MISSING, missing, restarts, Optional.empty());
    }

    @Override
    public synchronized CompletableFuture<Void> recover() {
        if (closed) {
            return CompletableFuture.failedFuture(new ShardLostException(device() + " is closed"));
        }
        if (missing.isPresent()) {
            return back.thenCompose(ready -> recover());
        }
        usable = true;
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        CompletableFuture<Void> waiting;
        synchronized (this) {
            closed = true;
            waiting = back;
        }
        waiting.completeExceptionally(new ShardLostException(device() + " is closed"));
    }
}
