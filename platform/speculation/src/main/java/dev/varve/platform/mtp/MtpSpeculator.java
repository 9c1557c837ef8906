package dev.varve.platform.mtp;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.shard.local.ShardDevices;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Drafts with the block for multi-token prediction of a model's file. The block uses hidden states
 * of the model, so it drafts for a sequence only if it has the states of its last tokens without a
 * gap.
 */
public final class MtpSpeculator implements Speculator {
    /** Minimum number of collected positions, if the sequence has that many. */
    private static final int LEAST_CONTEXT = 16;

    /** Maximum number of rows that wait for the next draft, which computes them with its own. */
    private static final int FEW_ROWS = 16;

    /** Maximum number of sequences that are drafted together. */
    private static final int MOST_TOGETHER = 16;

    private final MtpFile file;
    private final SpeculationTarget.Limits limits;
    private final WeightResidency residency;
    private final Supplier<MtpModel> loader;
    private final int capacity;
    private final Map<Long, MtpSequence> sequences = new HashMap<>();
    private final Deque<Integer> free = new ArrayDeque<>();
    private Optional<MtpModel> model = Optional.empty();

    private MtpSpeculator(
            MtpFile file,
            SpeculationTarget.Limits limits,
            WeightResidency residency,
            Supplier<MtpModel> loader) {
        this.file = file;
        this.limits = limits;
        this.residency = residency;
        this.loader = loader;
        capacity = MtpModel.capacity(limits);
        IntStream.range(0, limits.sequences()).forEach(free::add);
    }

    /**
     * Loads the block.
     *
     * @param limits how much of the target is used, and the maximum draft length
     * @param devices compute it; must outlive the speculator
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if the memory is too small
     */
    public static MtpSpeculator open(
            MtpFile file,
            SpeculationTarget.Limits limits,
            ShardDevices devices,
            DflashSettings settings) {
        return open(
                file,
                limits,
                settings.residency(),
                () -> MtpModel.load(file, limits, devices, settings.attention()));
    }

    /**
     * Loads the block onto one device.
     *
     * @throws VarveException likewise
     */
    public static MtpSpeculator open(
            MtpFile file,
            SpeculationTarget.Limits limits,
            ComputeDevice device,
            DflashSettings settings) {
        return open(file, limits, ShardDevices.of(device), settings);
    }

    /**
     * Opens the speculator with any model of the block.
     *
     * @param loader loads the model each time it is needed in memory
     */
    static MtpSpeculator open(
            MtpFile file,
            SpeculationTarget.Limits limits,
            WeightResidency residency,
            Supplier<MtpModel> loader) {
        MtpSpeculator speculator = new MtpSpeculator(file, limits, residency, loader);
        // Loads the model even if it is freed at once, so that a lack of memory is reported now.
        speculator.model();
        speculator.release();
        return speculator;
    }

    private MtpModel model() {
        if (model.isEmpty()) {
            model = Optional.of(loader.get());
        }
        return model.get();
    }

    private void release() {
        if (residency == WeightResidency.REQUEST_SCOPED && sequences.isEmpty()) {
            close();
        }
    }

    /** Bytes of keys and values for the maximum number of sequences. */
    public static long cacheBytes(MtpFile file, SpeculationTarget.Limits limits) {
        return MtpModel.cacheBytes(file, limits);
    }

    /** Bytes of the device's memory that are in use. */
    public long bytes() {
        return model.map(MtpModel::bytes).orElse(0L);
    }

    @Override
    public List<Integer> captures() {
        return file.captures();
    }

    @Override
    public int mostTokens() {
        return limits.draftTokens();
    }

    /** The states of an image's tokens have what the block needs of it. */
    @Override
    public boolean acceptsImages() {
        return true;
    }

    @Override
    public void observe(HiddenStates states, TokenHistory tokens) {
        Optional<MtpSequence> found = findOrOpen(states.sequence());
        if (found.isEmpty()) {
            return;
        }
        MtpSequence sequence = found.get();
        int first = states.firstPosition();
        boolean full = sequence.count() + states.tokens() + limits.draftTokens() > capacity;
        if (sequence.collected() != first || full) {
            sequence.restart(first);
        }
        for (int i = 0; i < states.tokens(); i++) {
            sequence.append(embedded(tokens.get(first + i)), states, i);
            if (sequence.pending() == MtpModel.MOST_ROWS) {
                model().addFeatures(sequence.takeRows());
            }
        }
        if (sequence.pending() > FEW_ROWS) {
            // Processed here, so that the measured cost of drafts does not depend on earlier steps.
            model().addFeatures(sequence.takeRows());
        }
    }

    /** Tokens of images have no row in a table: they look up the first one, as in the model. */
    private static int embedded(int token) {
        return Math.max(0, token);
    }

    private Optional<MtpSequence> findOrOpen(long number) {
        if (!sequences.containsKey(number) && !free.isEmpty()) {
            sequences.put(number, new MtpSequence(free.pop(), file));
        }
        return Optional.ofNullable(sequences.get(number));
    }

    @Override
    public List<Draft> propose(List<DraftRequest> requests) {
        Draft[] drafts = new Draft[requests.size()];
        Arrays.fill(drafts, Draft.NONE);
        List<Integer> ready =
                IntStream.range(0, drafts.length)
                        .filter(i -> isReady(requests.get(i)))
                        .boxed()
                        .toList();
        for (int first = 0; first < ready.size(); first += MOST_TOGETHER) {
            List<Integer> some =
                    ready.subList(first, Math.min(ready.size(), first + MOST_TOGETHER));
            List<int[]> guesses = draft(some.stream().map(requests::get).toList());
            for (int i = 0; i < some.size(); i++) {
                drafts[some.get(i)] = Draft.of(guesses.get(i));
            }
        }
        return List.of(drafts);
    }

    private boolean isReady(DraftRequest request) {
        int known = request.tokens().size() - 1;
        MtpSequence sequence = sequences.get(request.sequence());
        return sequence != null
                && sequence.collected() == known
                && sequence.count() >= Math.min(known, LEAST_CONTEXT);
    }

    private List<int[]> draft(List<DraftRequest> requests) {
        List<MtpModel.Rows> rows = new ArrayList<>();
        for (DraftRequest request : requests) {
            MtpSequence sequence = sequences.get(request.sequence());
            rows.add(sequence.takeWith(request.tokens().get(sequence.collected())));
        }
        int[] most =
                requests.stream().mapToInt(each -> Math.min(each.most(), mostTokens())).toArray();
        return MtpChain.draft(model(), rows, most);
    }

    @Override
    public void forget(long number) {
        MtpSequence gone = sequences.remove(number);
        if (gone != null) {
            free.push(gone.region());
        }
        release();
    }

    @Override
    public void close() {
        Optional<MtpModel> loaded = model;
        model = Optional.empty();
        loaded.ifPresent(MtpModel::close);
    }
}
