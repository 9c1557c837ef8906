package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.Boundary;
import dev.varve.platform.shard.CacheSizes;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.Feature;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardFootprint;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlicePlace;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.SnapshotTensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The shards of a model without an engine: one sequence at a time, wherever the test puts it. */
record ShardChain(List<Shard> shards, int vocabulary) implements AutoCloseable {
    private static final int SLOTS = 1536;
    private static final int STATE_ROWS = 4;
    private static final int CHUNK = 64;

    /** A place for up to 512 positions. */
    record Place(int firstSlot, int stateRow) {
        SlotSpan span() {
            return new SlotSpan(firstSlot, 512);
        }

        SequencePlace at(int position) {
            return new SequencePlace(span(), position, stateRow);
        }
    }

    static ShardChain load(SplitModel model, CacheTypes types, List<String> devices, int... cuts) {
        return load(model, types, List.of(), devices, cuts);
    }

    /**
     * Likewise.
     *
     * @param captures what batches may ask for
     */
    static ShardChain load(
            SplitModel model,
            CacheTypes types,
            List<Integer> captures,
            List<String> devices,
            int... cuts) {
        int region =
                ShardFootprint.of(
                                model.adapter().shape(),
                                model.adapter().shape().allLayers(),
                                types,
                                512,
                                512)
                        .regionSlots();
        ShardOptions options =
                ShardOptions.of(types, new CacheSizes(SLOTS, STATE_ROWS, region))
                        .withCaptures(captures);
        List<LayerRange> ranges = model.ranges(cuts);
        List<Shard> shards = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            shards.add(
                    model.open(
                            new Placement.Part(
                                    DeviceReference.parse(devices.get(i)), ranges.get(i)),
                            options,
                            LoadProgress.silent()));
        }
        return new ShardChain(shards, model.adapter().shape().vocabularySize());
    }

    /** What a run gives: logits of each token, and what was captured. */
    record Run(List<float[]> logits, List<Feature> features) {
        float[][] rows() {
            return logits.toArray(float[][]::new);
        }
    }

    /** Computes the tokens from one position to another. */
    Run run(int[] tokens, int from, int to, Place place, List<Integer> captures) {
        return run(tokens, from, to, place, captures, OutputRows.ALL);
    }

    /** Likewise, with logits of some tokens of each chunk. */
    Run run(
            int[] tokens,
            int from,
            int to,
            Place place,
            List<Integer> captures,
            OutputRows outputs) {
        Run run = new Run(new ArrayList<>(), new ArrayList<>());
        for (int begin = from; begin < to; begin += CHUNK) {
            int end = Math.min(to, begin + CHUNK);
            Slice slice =
                    new Slice(
                            1,
                            Arrays.copyOfRange(tokens, begin, end),
                            SlicePlace.next(begin, place.span(), place.stateRow()),
                            outputs);
            forward(new Batch(List.of(slice), Phase.PREFILL, captures), run);
        }
        return run;
    }

    private void forward(Batch batch, Run run) {
        Optional<Boundary> boundary = Optional.empty();
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

    /** The state of a sequence in all shards. */
    List<SnapshotTensor> save(Place place, int position) {
        return shards.stream()
                .flatMap(shard -> shard.save(place.at(position)).join().tensors().stream())
                .toList();
    }

    /** Gives each shard what belongs to its layers. */
    void restore(Place place, int position, List<SnapshotTensor> tensors) {
        for (Shard shard : shards) {
            shard.restore(place.at(position), part(shard.range(), position, tensors)).join();
        }
    }

    /** The part of a snapshot that belongs to a range. */
    static ShardSnapshot part(LayerRange range, int position, List<SnapshotTensor> tensors) {
        return new ShardSnapshot(
                position,
                tensors.stream()
                        .filter(
                                tensor -> {
                                    String name = tensor.name();
                                    int layer =
                                            Integer.parseInt(
                                                    name.substring(name.lastIndexOf('.') + 1));
                                    return layer >= range.begin() && layer < range.end();
                                })
                        .toList());
    }

    @Override
    public void close() {
        shards.forEach(Shard::close);
    }
}
