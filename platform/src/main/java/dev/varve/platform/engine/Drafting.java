package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.shard.Feature;
import dev.varve.platform.speculation.AcceptanceRates;
import dev.varve.platform.speculation.Curiosity;
import dev.varve.platform.speculation.DraftWidths;
import dev.varve.platform.speculation.StepCosts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What is guessed of the sequences in decode, and how much of it the next step checks. A speculator
 * that fails is done without: guesses are never needed. Only the engine's thread uses it.
 */
final class Drafting {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** How a guess is thought to fare before any was tried. */
    private static final double UNTRIED = 0.7;

    /** How much longer a step may take for others that gain nothing. */
    private static final double UNHARMED = 1.05;

    private Optional<SpeculationOptions> options;
    private final int vocabulary;
    private final int depth;

    /** Asked for once: the shards offer no others, whatever a plugin says later. */
    private final List<Integer> captures;

    private final boolean guesses;
    private final AcceptanceRates rates;
    private final SpeculationCounts.Running counts;
    private final StepCosts costs = new StepCosts();
    private final DraftWidths widths;

    /** What guessing takes by the number of sequences that are asked for. */
    private final StepCosts overhead = new StepCosts();

    private final Curiosity curiosity = new Curiosity();

    /** Whether guesses paid when they were asked for last. */
    private boolean pays = true;

    /** What trying guesses cost last, in nanoseconds. */
    private double trial;

    /**
     * @param vocabulary tokens of the model
     */
    Drafting(Optional<SpeculationOptions> options, int vocabulary) {
        this.options = options;
        this.vocabulary = vocabulary;
        depth = options.map(SpeculationOptions::most).orElse(1);
        rates = new AcceptanceRates(depth);
        widths = new DraftWidths(costs, depth);
        counts = new SpeculationCounts.Running(depth);
        guesses = options.isPresent();
        captures = options.map(this::askCaptures).orElse(List.of());
    }

    private List<Integer> askCaptures(SpeculationOptions given) {
        try {
            return List.copyOf(given.speculator().captures());
        } catch (RuntimeException | Error e) {
            giveUp(e);
            return List.of();
        }
    }

    /** What a new request needs. Any thread may ask. */
    SequenceDrafts forRequest() {
        return new SequenceDrafts(depth);
    }

    /** Layers whose input is wanted of the tokens of some requests. */
    List<Integer> captures(List<Work> works) {
        if (options.isEmpty()) {
            return List.of();
        }
        for (Work work : works) {
            if (work.request().mayDraft() > 0) {
                return captures;
            }
        }
        return List.of();
    }

    /** What became of all guesses. */
    SpeculationCounts counts() {
        return guesses ? counts.get() : SpeculationCounts.NONE;
    }

    /** Takes note of guesses that a step checked. */
    void verified(Request request, int guessed, int right) {
        request.drafts().verified(guessed, right);
        counts.verified(guessed, right);
    }

    /** Takes note of how long a step of decode took. */
    void measured(int tokens, long nanos) {
        costs.measured(tokens, nanos);
        curiosity.stepTook(nanos);
    }

    /**
     * Guesses worth checking in the next step.
     *
     * @param requests all that will be in it
     * @param most per request, how many guesses can be of use
     * @return one draft for each
     */
    List<int[]> propose(List<Request> requests, int[] most) {
        List<int[]> chosen = new ArrayList<>();
        requests.forEach(request -> chosen.add(new int[0]));
        if (options.isEmpty()) {
            return chosen;
        }
        requests.forEach(request -> request.drafts().settle(request.tokens(), rates));
        List<Integer> asked = new ArrayList<>();
        List<DraftRequest> asks = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (most[i] > 0) {
                asked.add(i);
                asks.add(
                        new DraftRequest(
                                requests.get(i).arrival(),
                                requests.get(i).tokens(),
                                Math.min(most[i], depth)));
            }
        }
        if (asks.isEmpty() || !isWorthAsking(requests.size(), asks.size())) {
            return chosen;
        }
        List<Draft> drafts = ask(List.copyOf(asks));
        if (options.isEmpty()) {
            return chosen;
        }
        boolean harmless = asks.size() == requests.size();
        int[] counts = choose(requests, asked, drafts, harmless);
        for (int i = 0; i < asked.size(); i++) {
            Draft draft = drafts.get(i);
            Request request = requests.get(asked.get(i));
            request.drafts().propose(draft, request.known());
            chosen.set(asked.get(i), Arrays.copyOf(draft.tokens(), counts[i]));
        }
        return chosen;
    }

    /** Where guesses did not pay, they are tried again when enough time was saved for that. */
    private boolean isWorthAsking(int sequences, int asked) {
        double step = costs.of(sequences);
        double guessing = overhead.of(asked);
        return options.orElseThrow().width().isPresent()
                || step > 0
                        && (pays
                                || Curiosity.isNothing(guessing, step)
                                || curiosity.affords(guessing + trial));
    }

    private int[] choose(
            List<Request> requests, List<Integer> asked, List<Draft> drafts, boolean harmless) {
        if (options.orElseThrow().width().isPresent()) {
            int width = options.get().width().getAsInt();
            return drafts.stream()
                    .mapToInt(draft -> Math.min(width, draft.tokens().length))
                    .toArray();
        }
        List<DraftWidths.Candidate> candidates = new ArrayList<>();
        for (int i = 0; i < drafts.size(); i++) {
            candidates.add(candidate(requests.get(asked.get(i)), drafts.get(i)));
        }
        DraftWidths.Step step =
                new DraftWidths.Step(
                        requests.size(),
                        overhead.of(asked.size()),
                        harmless ? Double.POSITIVE_INFINITY : UNHARMED);
        int[] best = widths.choose(candidates, step);
        pays = Arrays.stream(best).anyMatch(count -> count > 0);
        if (!pays && !Curiosity.isNothing(step.overhead(), costs.of(requests.size()))) {
            curiosity.spend(step.overhead());
        }
        int[] other = curiosity.more(widths, candidates, best);
        if (Arrays.equals(best, other)
                || widths.nanos(step, other) > step.slowest() * costs.of(requests.size())) {
            return best;
        }
        trial = widths.loss(candidates, step, other, best);
        if (!curiosity.affords(trial)) {
            return best;
        }
        curiosity.spend(trial);
        return other;
    }

    private DraftWidths.Candidate candidate(Request request, Draft draft) {
        double[] chances = new double[draft.tokens().length];
        for (int i = 0; i < chances.length; i++) {
            double usual = rates.rate(draft.grade(), i, UNTRIED);
            chances[i] = request.drafts().rates().rate(draft.grade(), i, usual);
        }
        return new DraftWidths.Candidate(chances);
    }

    private List<Draft> ask(List<DraftRequest> asks) {
        long begin = System.nanoTime();
        try {
            List<Draft> drafts = options.orElseThrow().speculator().propose(asks);
            if (drafts.size() != asks.size()) {
                throw new IllegalStateException(
                        drafts.size() + " drafts for " + asks.size() + " sequences");
            }
            List<Draft> fitting = new ArrayList<>(drafts.size());
            for (int i = 0; i < asks.size(); i++) {
                fitting.add(fit(drafts.get(i), asks.get(i).most()));
            }
            return fitting;
        } catch (RuntimeException | Error e) {
            giveUp(e);
            return asks.stream().map(ask -> Draft.NONE).toList();
        } finally {
            overhead.measured(asks.size(), System.nanoTime() - begin);
        }
    }

    /** What of a draft can be of use, safe from whoever made it. */
    private Draft fit(Draft draft, int most) {
        int[] tokens = Arrays.copyOf(draft.tokens(), Math.min(draft.tokens().length, most));
        for (int token : tokens) {
            if (token < 0 || token >= vocabulary) {
                throw new IllegalStateException(
                        "guess of token " + token + ", outside the vocabulary of " + vocabulary);
            }
        }
        return new Draft(tokens, draft.grade());
    }

    private void giveUp(Throwable failure) {
        LOG.log(
                System.Logger.Level.ERROR,
                "the speculator failed; tokens are not guessed any more",
                failure);
        close();
    }

    /** Shows the speculator what the tokens of a request were to the model. */
    void observe(
            Request request, int firstPosition, int tokens, List<Feature> features, int column) {
        if (options.isEmpty() || request.mayDraft() == 0 || tokens == 0 || features.isEmpty()) {
            return;
        }
        List<HiddenStates.Layer> layers = new ArrayList<>(features.size());
        for (Feature feature : features) {
            layers.add(new HiddenStates.Layer(feature.layer(), feature.values(), column));
        }
        try {
            options.get()
                    .speculator()
                    .observe(new HiddenStates(request.arrival(), firstPosition, tokens, layers));
        } catch (RuntimeException | Error e) {
            giveUp(e);
        }
    }

    /** A request has ended or lost what was computed of it. */
    void forget(Request request) {
        options.ifPresent(
                given -> {
                    try {
                        given.speculator().forget(request.arrival());
                    } catch (RuntimeException | Error e) {
                        giveUp(e);
                    }
                });
    }

    /** Frees what the speculator holds. */
    void close() {
        Optional<SpeculationOptions> given = options;
        options = Optional.empty();
        given.ifPresent(
                each -> {
                    try {
                        Speculator speculator = each.speculator();
                        speculator.close();
                    } catch (RuntimeException | Error e) {
                        LOG.log(System.Logger.Level.WARNING, "a speculator was not closed", e);
                    }
                });
    }
}
