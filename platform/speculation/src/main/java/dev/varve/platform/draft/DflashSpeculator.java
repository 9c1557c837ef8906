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
 * Drafts with a DFlash draft model. The model uses hidden states of the target, so it drafts for a
 * sequence only if it has the states of its last tokens without a gap; after positions that were
 * restored from a cache without their states it waits until enough new states were collected.
 */
public final class DflashSpeculator implements Speculator {
    /**
     * Default number of context positions per sequence, the maximum with which drafts are trained.
     */
    public static final int MOST_CONTEXT = 4096;

    /** Maximum number of context positions that can be requested. */
    public static final int LARGEST_CONTEXT = 1 << 20;

    /** Minimum number of collected positions, if the sequence has that many. */
    private static final int LEAST_CONTEXT = 16;

    /** Number of pending states from which on they are processed at once. */
    private static final int BATCHED_STATES = 32;

    /** When the network is in memory. */
    public enum WeightResidency {
        /** From opening to closing. */
        PERSISTENT,
        /** While there are sequences. */
        REQUEST_SCOPED
    }

    /**
     * Settings of the speculator.
     *
     * @param residency when the network is in memory
     * @param attention flash attention setting
     * @param context maximum number of context positions per sequence
     */
    public record DflashSettings(WeightResidency residency, FlashAttention attention, int context) {
        /** Checks the number of positions. */
        public DflashSettings {
            Objects.requireNonNull(residency);
            Objects.requireNonNull(attention);
            if (context < 1 || context > LARGEST_CONTEXT) {
                throw new IllegalArgumentException(
                        "draft context: expected 1 to "
                                + LARGEST_CONTEXT
                                + " positions, found "
                                + context);
            }
        }

        /** Creates settings with the default number of context positions. */
        public DflashSettings(WeightResidency residency, FlashAttention attention) {
            this(residency, attention, MOST_CONTEXT);
        }
    }

    private final DraftFile file;
    private final WeightResidency residency;
    private final DraftVocabulary ids;
    private final Function<DraftVocabulary, BlockDraftModel> loader;
    private final int capacity;
    private final ContextPositions contextPositions;
    private final PendingHiddenStates pending;
    private Optional<BlockDraftModel> model = Optional.empty();

    private DflashSpeculator(
            DraftFile file,
            DraftRegions regions,
            WeightResidency residency,
            Function<DraftVocabulary, BlockDraftModel> loader) {
        this.file = file;
        this.residency = residency;
        this.loader = loader;
        ids = DraftVocabulary.of(file);
        capacity = regions.capacity();
        contextPositions = new ContextPositions(regions.count());
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
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if the memory is too small
     */
    public static DflashSpeculator open(
            DraftFile file,
            SpeculationTarget.Limits limits,
            ComputeDevice device,
            DflashSettings settings) {
        DraftRegions regions = regions(file, limits, settings.context());
        return open(
                file,
                regions,
                settings.residency(),
                ids -> DraftModel.load(file, ids, device, settings.attention(), regions));
    }

    /**
     * Opens the speculator with any network.
     *
     * @param regions of the network's cache
     * @param loader loads the network each time it is needed in memory
     */
    static DflashSpeculator open(
            DraftFile file,
            DraftRegions regions,
            WeightResidency residency,
            Function<DraftVocabulary, BlockDraftModel> loader) {
        DflashSpeculator speculator = new DflashSpeculator(file, regions, residency, loader);
        // Loads the network even if it is freed at once, so that a lack of memory is reported now.
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
        if (residency == WeightResidency.REQUEST_SCOPED && contextPositions.isEmpty()) {
            free();
        }
    }

    private void free() {
        pending.clear();
        Optional<BlockDraftModel> loaded = model;
        model = Optional.empty();
        loaded.ifPresent(BlockDraftModel::close);
    }

    /** Bytes of context rows for the maximum number of sequences. */
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

    /** Context rows are made of states alone, and distances are those of the indexes of tokens. */
    @Override
    public boolean acceptsImages() {
        return true;
    }

    @Override
    public void observe(HiddenStates states) {
        Optional<ContextPositions.PositionRange> found =
                contextPositions.findOrOpen(states.sequence(), states.firstPosition());
        if (found.isEmpty()) {
            return;
        }
        ContextPositions.PositionRange ring = found.get();
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
                addFeatures();
            }
        }
        if (pending.count() >= BATCHED_STATES) {
            // Processed here, so that the measured cost of drafts does not depend on earlier steps.
            addFeatures();
        }
    }

    private void addFeatures() {
        if (pending.count() > 0) {
            model().addFeatures(pending);
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
            addFeatures();
        }
        for (int first = 0; first < ready.size(); first += DraftModel.MOST_TOGETHER) {
            List<Integer> some =
                    ready.subList(first, Math.min(ready.size(), first + DraftModel.MOST_TOGETHER));
            draftAll(some.stream().map(sequences::get).toList(), some, drafts);
        }
        return List.of(drafts);
    }

    private boolean isReady(DraftRequest request) {
        int known = request.tokens().size() - 1;
        return contextPositions
                .find(request.sequence())
                .filter(ring -> ring.end() == known)
                .filter(ring -> ring.count() >= Math.min(known, LEAST_CONTEXT))
                .isPresent();
    }

    private void draftAll(List<DraftRequest> requests, List<Integer> places, Draft[] drafts) {
        List<Integer> regions = new ArrayList<>();
        List<BlockDraftGraph.Block> blocks = new ArrayList<>();
        for (DraftRequest request : requests) {
            ContextPositions.PositionRange ring =
                    contextPositions.find(request.sequence()).orElseThrow();
            regions.add(ring.region());
            blocks.add(
                    new BlockDraftGraph.Block(
                            request.tokens().get(ring.end()), ring.begin(), ring.end()));
        }
        boolean branches = requests.stream().anyMatch(request -> request.branched() > 0);
        List<BlockDraftGraph.BlockDraft> found = model().draft(regions, blocks, branches);
        for (int i = 0; i < requests.size(); i++) {
            drafts[places.get(i)] = draft(found.get(i), requests.get(i));
        }
    }

    private Draft draft(BlockDraftGraph.BlockDraft found, DraftRequest request) {
        int most = Math.min(mostTokens(), request.most());
        DraftConfidence confidence = DraftConfidence.of(found.probabilities(), most);
        int[] tokens = ids.targets(found.rows(), confidence.usefulTokens());
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
        contextPositions.remove(sequence).ifPresent(ring -> pending.drop(ring.region()));
        release();
    }

    @Override
    public void close() {
        free();
    }
}
