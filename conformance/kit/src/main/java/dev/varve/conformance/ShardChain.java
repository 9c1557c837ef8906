package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The shards of a model without an engine: one sequence at a time, in the slots that the test
 * chooses.
 */
record ShardChain(List<Shard> shards, ModelShape shape, CacheTypes types, int regionSlots)
        implements AutoCloseable {
    private static final int SLOTS = 1536;
    private static final int STATE_ROWS = 4;
    private static final int CHUNK = 64;
    private static final RollbackBufferSizes ROLLBACK_BUFFERS = new RollbackBufferSizes(2, 16);

    /** A place for up to 512 positions. */
    record Place(int firstSlot, int stateRow) {
        KvSlotSpan span() {
            return new KvSlotSpan(firstSlot, 512);
        }
    }

    static ShardChain load(SplitModel model, CacheTypes types, List<String> devices, int... cuts) {
        return load(model, types, List.of(), devices, cuts);
    }

    /**
     * Likewise.
     *
     * @param captures features that batches may request
     */
    static ShardChain load(
            SplitModel model,
            CacheTypes types,
            List<Integer> captures,
            List<String> devices,
            int... cuts) {
        return load(model, types, BatchInvariance.AUTO, captures, devices, cuts);
    }

    /**
     * Likewise.
     *
     * @param exactRows batch invariance: the inputs on which a token's numbers may depend
     */
    static ShardChain load(
            SplitModel model,
            CacheTypes types,
            BatchInvariance exactRows,
            List<Integer> captures,
            List<String> devices,
            int... cuts) {
        int region =
                CacheUnitBytes.of(
                                model.adapter().shape(),
                                model.adapter().shape().allLayers(),
                                types,
                                512,
                                512)
                        .regionSlots();
        ShardOptions options =
                ShardOptions.of(
                                types,
                                new CacheCapacities(SLOTS, STATE_ROWS, region, ROLLBACK_BUFFERS))
                        .withExactRows(exactRows)
                        .withCaptures(captures);
        List<LayerRange> ranges = model.ranges(cuts);
        List<Shard> shards = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            shards.add(
                    model.open(
                            new Placement.Part(
                                    DeviceReference.parse(devices.get(i)), ranges.get(i)),
                            options,
                            LoadProgressListener.silent()));
        }
        return new ShardChain(shards, model.adapter().shape(), types, region);
    }

    /** Results of a run: logits of each token, and the captured features. */
    record Run(List<float[]> logits, List<CapturedFeature> features) {
        float[][] rows() {
            return logits.toArray(float[][]::new);
        }
    }

    /** Computes the tokens from one position to another. */
    Run run(int[] tokens, int from, int to, Place place, List<Integer> captures) {
        return run(tokens, from, to, place, captures, RequestedOutput.ALL);
    }

    /** Likewise, with logits of some tokens of each chunk. */
    Run run(
            int[] tokens,
            int from,
            int to,
            Place place,
            List<Integer> captures,
            RequestedOutput outputs) {
        Run run = new Run(new ArrayList<>(), new ArrayList<>());
        for (int begin = from; begin < to; begin += CHUNK) {
            int end = Math.min(to, begin + CHUNK);
            SequenceChunk chunk =
                    new SequenceChunk(
                            1,
                            Arrays.copyOfRange(tokens, begin, end),
                            ChunkPlacement.next(begin, place.span(), place.stateRow()),
                            outputs);
            forward(new Batch(List.of(chunk), Phase.PREFILL, captures), run);
        }
        return run;
    }

    /** Computes any batch. */
    Run run(Batch batch) {
        Run run = new Run(new ArrayList<>(), new ArrayList<>());
        forward(batch, run);
        return run;
    }

    private void forward(Batch batch, Run run) {
        int vocabulary = shape.vocabularySize();
        Optional<LayerActivations> boundary = Optional.empty();
        for (Shard shard : shards) {
            ShardResult result = shard.forward(batch, boundary).join();
            boundary = result.boundary();
            run.features().addAll(result.features());
            for (int row = 0; row < result.rows(); row++) {
                run.logits()
                        .add(
                                Arrays.copyOfRange(
                                        result.logits(), row * vocabulary, (row + 1) * vocabulary));
            }
        }
    }

    /** Returns all cached parts of a sequence in a shard. */
    List<CachePart> parts(Shard shard, Place place, int position) {
        CacheLayout layout = CacheLayout.of(shape, shard.range(), types, regionSlots);
        List<CachePart> parts = new ArrayList<>(layout.rows(place.span(), 0, position));
        parts.addAll(layout.states(place.stateRow(), position));
        return parts;
    }

    /** The state of a sequence in all shards, by layers, of which each keeps one part. */
    Map<Integer, byte[]> export(Place place, int position) {
        Map<Integer, byte[]> all = new TreeMap<>();
        for (Shard shard : shards) {
            List<CachePart> parts = parts(shard, place, position);
            KeptParts kept = new KeptParts();
            shard.export(parts, kept).join();
            for (int i = 0; i < parts.size(); i++) {
                all.put(parts.get(i).layer(), kept.all().get(i));
            }
        }
        return all;
    }

    /** Imports into each shard the parts of its layers. */
    void adopt(Place place, int position, Map<Integer, byte[]> all) {
        for (Shard shard : shards) {
            List<CachePart> parts = parts(shard, place, position);
            shard.adopt(
                            parts,
                            KeptParts.of(
                                    parts.stream().map(part -> all.get(part.layer())).toList()))
                    .join();
        }
    }

    @Override
    public void close() {
        shards.forEach(Shard::close);
    }
}
