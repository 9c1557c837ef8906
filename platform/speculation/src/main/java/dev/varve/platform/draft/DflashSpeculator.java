package dev.varve.platform.draft;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.shard.FlashAttention;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Guesses with a DFlash draft model. It goes by hidden states of the target, so it guesses for a
 * sequence only while it has seen those of its last tokens without a gap; behind positions that
 * were restored from a cache without their states it waits until some are there again.
 */
public final class DflashSpeculator implements Speculator {
    /** Context positions that a sequence keeps, as drafts are trained with at most. */
    public static final int MOST_CONTEXT = 4096;

    /** Most that can be asked for. */
    public static final int LARGEST_CONTEXT = 1 << 20;

    /** Positions that must be there at least, where the sequence has as many. */
    private static final int LEAST_CONTEXT = 16;

    /** Tokens whose states are worth taking in at once. */
    private static final int ENOUGH_STATES = 32;

    /** When the network is in memory. */
    public enum Residency {
        /** From the beginning to the end. */
        PERSISTENT,
        /** While it knows of a sequence. */
        REQUEST_SCOPED
    }

    /**
     * How it behaves.
     *
     * @param residency when the network is in memory
     * @param attention how it attends
     * @param context most positions that it keeps of a sequence
     */
    public record Conduct(Residency residency, FlashAttention attention, int context) {
        /** Checks that it keeps something. */
        public Conduct {
            Objects.requireNonNull(residency);
            Objects.requireNonNull(attention);
            if (context < 1 || context > LARGEST_CONTEXT) {
                throw new IllegalArgumentException("draft context of " + context + " positions");
            }
        }

        /** Keeps as many positions as is usual. */
        public Conduct(Residency residency, FlashAttention attention) {
            this(residency, attention, MOST_CONTEXT);
        }
    }

    private final DraftFile file;
    private final Residency residency;
    private final DraftVocabulary ids;
    private final Function<DraftVocabulary, BlockDraftModel> loader;
    private final int capacity;
    private final DraftRings rings;
    private final PendingHiddenStates pending;
    private Optional<BlockDraftModel> model = Optional.empty();

    private DflashSpeculator(
            DraftFile file,
            DraftRegions regions,
            Residency residency,
            Function<DraftVocabulary, BlockDraftModel> loader) {
        this.file = file;
        this.residency = residency;
        this.loader = loader;
        ids = DraftVocabulary.of(file);
        capacity = regions.capacity();
        rings = new DraftRings(regions.count());
        pending =
                new PendingHiddenStates(
                        Math.min(DraftModel.MOST_STATES, capacity), file.network().featureLength());
    }

    private static DraftRegions regions(
            DraftFile file, SpeculationTarget.Limits limits, int context) {
        return new DraftRegions(
                limits.sequences(),
                file.network().block().tokens(),
                Math.min(limits.contextTokens(), context));
    }

    /**
     * Loads a draft model.
     *
     * @param limits how much of the target is used
     * @param device computes it; must outlive the speculator
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if there is no room
     */
    public static DflashSpeculator open(
            DraftFile file,
            SpeculationTarget.Limits limits,
            ComputeDevice device,
            Conduct conduct) {
        DraftRegions regions = regions(file, limits, conduct.context());
        return open(
                file,
                regions,
                conduct.residency(),
                ids -> DraftModel.load(file, ids, device, conduct.attention(), regions));
    }

    /**
     * Opens it over any network.
     *
     * @param regions of the network's cache
     * @param loader makes the network each time it is needed in memory
     */
    static DflashSpeculator open(
            DraftFile file,
            DraftRegions regions,
            Residency residency,
            Function<DraftVocabulary, BlockDraftModel> loader) {
        DflashSpeculator speculator = new DflashSpeculator(file, regions, residency, loader);
        // Also where it is given back at once: what does not fit should be known now.
        speculator.model();
        speculator.release();
        return speculator;
    }

    private BlockDraftModel model() {
        if (model.isEmpty()) {
            model = Optional.of(loader.apply(ids));
        }
        return model.get();
    }

    private void release() {
        if (residency == Residency.REQUEST_SCOPED && rings.isEmpty()) {
            free();
        }
    }

    private void free() {
        pending.clear();
        Optional<BlockDraftModel> loaded = model;
        model = Optional.empty();
        loaded.ifPresent(BlockDraftModel::close);
    }

    /** Bytes of context rows for as many sequences as there may be. */
    public static long cacheBytes(DraftFile file, SpeculationTarget.Limits limits, int context) {
        return DraftCache.bytes(file.network(), regions(file, limits, context));
    }

    /** Bytes of the device's memory that are in use. */
    public long bytes() {
        return model.map(BlockDraftModel::bytes).orElse(0L);
    }

    @Override
    public List<Integer> captures() {
        return file.captures();
    }

    @Override
    public int mostTokens() {
        return file.mostTokens();
    }

    @Override
    public boolean branches() {
        return true;
    }

    @Override
    public void observe(HiddenStates states) {
        Optional<DraftRings.Ring> found =
                rings.findOrOpen(states.sequence(), states.firstPosition());
        if (found.isEmpty()) {
            return;
        }
        DraftRings.Ring ring = found.get();
        if (ring.end() != states.firstPosition()) {
            pending.drop(ring.region());
            ring.restart(states.firstPosition());
        }
        BlockDraftModel network = model();
        for (int token = 0; token < states.tokens(); token++) {
            pending.add(
                    states, token, ring.region(), network.contextRow(ring.region(), ring.end()));
            ring.append(capacity);
            if (pending.isFull()) {
                takeIn();
            }
        }
        if (pending.count() >= ENOUGH_STATES) {
            // What guesses themselves cost should not depend on what came before.
            takeIn();
        }
    }

    private void takeIn() {
        if (pending.count() > 0) {
            model().takeIn(pending);
            pending.clear();
        }
    }

    @Override
    public List<Draft> propose(List<DraftRequest> sequences) {
        Draft[] drafts = new Draft[sequences.size()];
        Arrays.fill(drafts, Draft.NONE);
        List<Integer> ready = new ArrayList<>();
        for (int i = 0; i < drafts.length; i++) {
            if (isReady(sequences.get(i))) {
                ready.add(i);
            }
        }
        if (!ready.isEmpty()) {
            takeIn();
        }
        for (int first = 0; first < ready.size(); first += DraftModel.MOST_TOGETHER) {
            List<Integer> some =
                    ready.subList(first, Math.min(ready.size(), first + DraftModel.MOST_TOGETHER));
            guess(some.stream().map(sequences::get).toList(), some, drafts);
        }
        return List.of(drafts);
    }

    private boolean isReady(DraftRequest request) {
        int known = request.tokens().size() - 1;
        return rings.find(request.sequence())
                .filter(ring -> ring.end() == known)
                .filter(ring -> ring.count() >= Math.min(known, LEAST_CONTEXT))
                .isPresent();
    }

    private void guess(List<DraftRequest> requests, List<Integer> places, Draft[] drafts) {
        List<Integer> regions = new ArrayList<>();
        List<BlockDraftGraph.Block> blocks = new ArrayList<>();
        for (DraftRequest request : requests) {
            DraftRings.Ring ring = rings.find(request.sequence()).orElseThrow();
            regions.add(ring.region());
            blocks.add(
                    new BlockDraftGraph.Block(
                            request.tokens().get(ring.end()), ring.begin(), ring.end()));
        }
        boolean branches = requests.stream().anyMatch(request -> request.branched() > 0);
        List<BlockDraftGraph.Found> found = model().guess(regions, blocks, branches);
        for (int i = 0; i < requests.size(); i++) {
            drafts[places.get(i)] = draft(found.get(i), requests.get(i));
        }
    }

    private Draft draft(BlockDraftGraph.Found found, DraftRequest request) {
        int most = Math.min(mostTokens(), request.most());
        DraftConfidence confidence = DraftConfidence.of(found.chances(), most);
        int[] tokens = ids.targets(found.rows(), confidence.worthwhile());
        if (tokens.length == 0) {
            return Draft.NONE;
        }
        if (found.slots().isEmpty() || request.branched() <= tokens.length) {
            return new Draft(tokens, confidence.grade());
        }
        DraftTree tree =
                DraftTree.of(
                        found.slots().get(),
                        Arrays.copyOf(found.rows(), tokens.length),
                        tokens.length,
                        request.branched());
        int[] all = ids.targets(tree.rows(), tree.rows().length);
        return new Draft(all, Arrays.copyOf(tree.parents(), all.length), confidence.grade());
    }

    @Override
    public void forget(long sequence) {
        rings.remove(sequence).ifPresent(ring -> pending.drop(ring.region()));
        release();
    }

    @Override
    public void close() {
        free();
    }
}
