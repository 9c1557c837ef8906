package dev.varve.platform.cli;

import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

import java.lang.reflect.Field;
import java.util.Optional;

/** Sampling values that override those of the model's file. */
final class SamplingArguments {
    /** The seed that stands for a random one. */
    static final long ANY_SEED = -1;

    private static final String FILE = " (default: the model file's, else ";

    @Option(
            names = {"--temp", "--temperature"},
            paramLabel = "T",
            description = "Temperature; 0 selects the most likely token each time" + FILE + "1).",
            order = 50)
    private Optional<Double> temperature = Optional.empty();

    @Option(
            names = "--top-k",
            paramLabel = "K",
            description = "Keep the K most likely tokens; 0 keeps all" + FILE + "0).",
            order = 51)
    private Optional<Double> topK = Optional.empty();

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description =
                    "Keep the most likely tokens up to this probability (default: the model file's,"
                            + " else 1). 0 keeps only the first one.",
            order = 52)
    private Optional<Double> topP = Optional.empty();

    @Option(
            names = "--min-p",
            paramLabel = "P",
            description =
                    "Least probability relative to the best token (default: the model file's, else"
                            + " 0).",
            order = 53)
    private Optional<Double> minP = Optional.empty();

    @Option(
            names = {"--repeat-penalty", "--repetition-penalty"},
            paramLabel = "R",
            description = "Values above 1 make tokens of the history less likely" + FILE + "1).",
            order = 54)
    private Optional<Double> repeatPenalty = Optional.empty();

    @Option(
            names = "--repeat-last-n",
            paramLabel = "N",
            description =
                    "Latest tokens that --repeat-penalty uses (default: the model file's, else"
                            + " 256). -1 uses all.",
            order = 54)
    private Optional<Double> repeatLastN = Optional.empty();

    @Option(
            names = "--presence-penalty",
            paramLabel = "P",
            description = "Subtracted once from the logits of tokens in the response (default: 0).",
            order = 54)
    private Optional<Double> presencePenalty = Optional.empty();

    @Option(
            names = "--frequency-penalty",
            paramLabel = "P",
            description =
                    "Subtracted from a token's logit once per occurrence in the response"
                            + " (default: 0).",
            order = 54)
    private Optional<Double> frequencyPenalty = Optional.empty();

    @Option(
            names = "--dry-multiplier",
            paramLabel = "X",
            description =
                    "Penalty of tokens that would continue a repeated sequence (DRY); 0 is off"
                            + " (default: 0).",
            order = 55)
    private Optional<Double> dryMultiplier = Optional.empty();

    @Option(
            names = "--dry-base",
            paramLabel = "X",
            description =
                    "Factor of the DRY penalty for each further token of the sequence (default:"
                            + " 1.75).",
            order = 55)
    private Optional<Double> dryBase = Optional.empty();

    @Option(
            names = "--dry-allowed-length",
            paramLabel = "N",
            description = "Length of a repeated sequence from which on DRY penalises (default: 2).",
            order = 55)
    private Optional<Double> dryAllowedLength = Optional.empty();

    @Option(
            names = "--dry-penalty-last-n",
            paramLabel = "N",
            description =
                    "Number of latest tokens that DRY searches; -1 searches all (default: -1).",
            order = 55)
    private Optional<Double> dryPenaltyLastN = Optional.empty();

    @Option(
            names = "--top-n-sigma",
            paramLabel = "N",
            description =
                    "Most standard deviations of a logit below the highest (default: -1). The"
                            + " sampler removes tokens below that; 0 and less keep all.",
            order = 55)
    private Optional<Double> topNSigma = Optional.empty();

    @Option(
            names = "--typical-p",
            paramLabel = "P",
            description =
                    "Probability of locally typical sampling (default: 1). The sampler keeps tokens"
                        + " of near-average surprise until their probabilities reach this value.",
            order = 55)
    private Optional<Double> typicalP = Optional.empty();

    @Option(
            names = "--xtc-probability",
            paramLabel = "P",
            description = "Probability with which XTC drops the most likely tokens" + FILE + "0).",
            order = 55)
    private Optional<Double> xtcProbability = Optional.empty();

    @Option(
            names = "--xtc-threshold",
            paramLabel = "P",
            description =
                    "Probability from which on XTC removes all tokens but one" + FILE + "0.1).",
            order = 55)
    private Optional<Double> xtcThreshold = Optional.empty();

    @Option(
            names = "--mirostat",
            paramLabel = "N",
            description =
                    "Mirostat 1 or 2, or 0 for none (default: the model file's, else 0). It"
                            + " replaces all cut-offs.",
            order = 55)
    private Optional<Double> mirostat = Optional.empty();

    @Option(
            names = "--mirostat-tau",
            paramLabel = "BITS",
            description = "Target surprise of mirostat, in bits" + FILE + "5).",
            order = 55)
    private Optional<Double> mirostatTau = Optional.empty();

    @Option(
            names = "--mirostat-eta",
            paramLabel = "RATE",
            description = "Learning rate of mirostat" + FILE + "0.1).",
            order = 55)
    private Optional<Double> mirostatEta = Optional.empty();

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "Seed of the random generator; -1 is a random one (default: random).",
            order = 55)
    private Optional<Long> seed = Optional.empty();

    /** Returns whether an option is one of these. */
    static boolean has(OptionSpec option) {
        return option.userObject() instanceof Field field
                && field.getDeclaringClass() == SamplingArguments.class;
    }

    /**
     * Returns the values of the flags.
     *
     * @throws UsageException that names the flag whose value is out of range
     */
    SamplingValues values() {
        SamplingValues values = SamplingValues.NONE;
        for (SamplingParameter parameter : SamplingParameter.values()) {
            Optional<Double> given = given(parameter);
            if (given.isPresent()) {
                values = with(values, parameter, flag(parameter), given.get());
            }
        }
        return seed.isPresent() && seed.get() != ANY_SEED ? values.withSeed(seed.get()) : values;
    }

    /**
     * Returns the values with one more.
     *
     * @param name name of the setting, for the message
     * @throws UsageException if the value is out of range
     */
    static SamplingValues with(
            SamplingValues values, SamplingParameter parameter, String name, double value) {
        try {
            return values.with(parameter, name, value);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static String flag(SamplingParameter parameter) {
        return parameter == SamplingParameter.TEMPERATURE
                ? "--temp"
                : "--" + parameter.wireName().replace('_', '-');
    }

    private Optional<Double> given(SamplingParameter parameter) {
        return switch (parameter) {
            case TEMPERATURE -> temperature;
            case TOP_K -> topK;
            case TOP_P -> topP;
            case MIN_P -> minP;
            case REPEAT_PENALTY -> repeatPenalty;
            case REPEAT_LAST_N -> repeatLastN;
            case PRESENCE_PENALTY -> presencePenalty;
            case FREQUENCY_PENALTY -> frequencyPenalty;
            case DRY_MULTIPLIER -> dryMultiplier;
            case DRY_BASE -> dryBase;
            case DRY_ALLOWED_LENGTH -> dryAllowedLength;
            case DRY_PENALTY_LAST_N -> dryPenaltyLastN;
            case TOP_N_SIGMA -> topNSigma;
            case TYPICAL_P -> typicalP;
            case XTC_PROBABILITY -> xtcProbability;
            case XTC_THRESHOLD -> xtcThreshold;
            case MIROSTAT -> mirostat;
            case MIROSTAT_TAU -> mirostatTau;
            case MIROSTAT_ETA -> mirostatEta;
        };
    }
}
