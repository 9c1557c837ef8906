package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.streaming.ExpertCache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A graph that is computed in parts: before each layer's experts, those that its tokens need are
 * read. If they do not fit the cache at the same time, the layer's experts are computed in several
 * passes.
 */
final class StreamedGraph {
    /**
     * @param before operators up to the experts, without those of the guess
     * @param guess operators of the guess, if there are any
     * @param inner operators of the experts up to the input of the down matrix
     * @param down the others
     */
    private record Layer(
            Graph before, Optional<Graph> guess, ExpertBreak place, Graph inner, Graph down) {
        /** Reads missing experts, and computes with each matrix as soon as it is read. */
        void compute(ExpertCache cache, int[] experts, ComputeDevice device, Phase phase) {
            cache.load(place.group(), experts, () -> device.compute(inner, phase));
            device.compute(down, phase);
        }

        /** Computes likewise, while experts that the next layer may need are read. */
        void computeAhead(
                ExpertCache cache,
                int[] experts,
                Optional<int[]> next,
                ComputeDevice device,
                Phase phase) {
            cache.load(
                    place.group(),
                    experts,
                    () -> {
                        next.ifPresent(
                                guess -> cache.prefetch(place.next().orElseThrow().group(), guess));
                        device.compute(inner, phase);
                    });
            device.compute(down, phase);
        }
    }

    private final List<Layer> layers = new ArrayList<>();
    private final Graph rest;
    private final ExpertCache cache;

    /**
     * @param breaks at least one, in the order of computation
     */
    StreamedGraph(Graph graph, List<ExpertBreak> breaks, ExpertCache cache) {
        this.cache = cache;
        int done = 0;
        for (ExpertBreak place : breaks) {
            layers.add(
                    new Layer(
                            graph.range(
                                    done,
                                    place.next()
                                            .map(ExpertBreak.Guess::begin)
                                            .orElse(place.begin())),
                            place.next().map(next -> graph.range(next.begin(), place.begin())),
                            place,
                            graph.range(place.begin(), place.middle()),
                            graph.range(place.middle(), place.end())));
            done = place.end();
        }
        rest = graph.range(done, graph.nodes());
    }

    void compute(ComputeDevice device, Phase phase) {
        for (Layer layer : layers) {
            long begin = System.nanoTime();
            device.compute(layer.before(), phase);
            compute(layer, device, phase);
            if (phase == Phase.DECODE && layer.guess().isPresent()) {
                cache.gain().record(System.nanoTime() - begin);
            }
        }
        device.compute(rest, phase);
    }

    /**
     * Guesses the experts of the next layer, unless reading ahead does not pay. Prompts need almost
     * all experts.
     */
    private Optional<int[]> guess(Layer layer, ComputeDevice device, Phase phase) {
        if (layer.guess().isEmpty() || phase == Phase.DECODE && !cache.gain().isWorthIt()) {
            return Optional.empty();
        }
        device.compute(layer.guess().get(), phase);
        return layer.place().next().map(StreamedGraph::read);
    }

    /** Returns different experts, those that are the best of a token first. */
    private static int[] read(ExpertBreak.Guess guess) {
        int used = Math.toIntExact(guess.ids().ne(0));
        int[] ids = new int[Math.toIntExact(guess.ids().elements())];
        guess.ids().read(ids, 0, ids.length, 0);
        return IntStream.range(0, used)
                .flatMap(
                        rank ->
                                IntStream.range(0, ids.length / used)
                                        .map(i -> ids[i * used + rank]))
                .distinct()
                .toArray();
    }

    private void compute(Layer layer, ComputeDevice device, Phase phase) {
        ExpertBreak place = layer.place();
        int[] ids = new int[Math.toIntExact(place.ids().elements())];
        place.ids().read(ids, 0, ids.length, 0);
        int[] needed = Arrays.stream(ids).sorted().distinct().toArray();
        int most = cache.most(place.group());
        if (needed.length <= most) {
            layer.computeAhead(cache, needed, guess(layer, device, phase), device, phase);
            return;
        }
        Passes passes = new Passes(layer, ids);
        for (int begin = 0; begin < needed.length; begin += most) {
            int[] pass = Arrays.copyOfRange(needed, begin, Math.min(begin + most, needed.length));
            passes.compute(cache, pass, device, phase);
        }
        passes.finish();
    }

    /**
     * Computes a layer's experts several times, each time with some of the experts, and collects
     * the columns that they are chosen for. An expert gets the same columns as in a single pass, so
     * that their bits are the same; all other columns go to one expert whose results are dropped.
     */
    private static final class Passes {
        private final Layer layer;
        private final int[] ids;
        private final byte[] input;
        private final byte[] outputs;
        private final int columnBytes;

        Passes(Layer layer, int[] ids) {
            this.layer = layer;
            this.ids = ids;
            input = new byte[Math.toIntExact(layer.place().input().bytes())];
            // Its memory may be used for results of the operators of the experts.
            layer.place().input().readBytes(input, 0, input.length, 0);
            outputs = new byte[Math.toIntExact(layer.place().outputs().bytes())];
            columnBytes = outputs.length / ids.length;
        }

        void compute(ExpertCache cache, int[] experts, ComputeDevice device, Phase phase) {
            ExpertBreak place = layer.place();
            BitSet own = new BitSet();
            Arrays.stream(experts).forEach(own::set);
            int dropped = own.nextClearBit(0);
            int[] passIds = Arrays.stream(ids).map(id -> own.get(id) ? id : dropped).toArray();
            place.input().writeBytes(input, 0, input.length, 0);
            place.ids().write(passIds, 0, passIds.length, 0);
            layer.compute(cache, experts, device, phase);
            Tensor results = place.outputs();
            for (int i = 0; i < ids.length; i++) {
                if (own.get(ids[i])) {
                    results.readBytes(
                            outputs, i * columnBytes, columnBytes, (long) i * columnBytes);
                }
            }
        }

        void finish() {
            layer.place().outputs().writeBytes(outputs, 0, outputs.length, 0);
        }
    }
}
