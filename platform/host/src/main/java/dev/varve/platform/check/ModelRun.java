package dev.varve.platform.check;

import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Logits and greedy tokens of a model on some devices.
 *
 * @param logits of each token of a text, in order
 * @param greedy continuation of the text
 */
record ModelRun(List<float[]> logits, GreedyRun greedy) {
    /** Tokens of the text. */
    static final int TEXT_TOKENS = 48;

    /** Generated tokens. */
    private static final int GENERATED = 24;

    private static final String TEXT =
            "The layers of a model can be spread over several devices. Each device reads only its"
                    + " own layers, and sends the activations of its last layer to the next device."
                    + " The last one computes the logits of the next token. What happens if a"
                    + " device is lost while a request runs? ";

    /** Copies the list. */
    ModelRun {
        logits = List.copyOf(logits);
    }

    /** Loads a model and runs it. */
    static ModelRun of(HostSettings settings) throws InterruptedException {
        try (HostedModel model = HostedModel.open(settings)) {
            int[] text = text(model, TEXT_TOKENS);
            List<float[]> logits = new ArrayList<>();
            model.logits(
                    text,
                    (values, rows, vocabulary) -> {
                        for (int row = 0; row < rows; row++) {
                            logits.add(
                                    Arrays.copyOfRange(
                                            values, row * vocabulary, (row + 1) * vocabulary));
                        }
                    });
            return new ModelRun(
                    logits, GreedyRun.of(model.engine(), GreedyRun.request(text, GENERATED)));
        }
    }

    /** The first tokens of a text that is as long as necessary. */
    static int[] text(HostedModel model, int tokens) {
        StringBuilder text = new StringBuilder(TEXT);
        int[] encoded = model.encode(text.toString());
        for (int number = 2; encoded.length < tokens; number *= 2) {
            for (int i = number / 2; i < number; i++) {
                text.append("Paragraph ").append(i).append(": ").append(TEXT);
            }
            encoded = model.encode(text.toString());
        }
        return Arrays.copyOf(encoded, tokens);
    }

    /** Returns the largest relative L2 error of a row of another run's logits. */
    double worstError(ModelRun found) {
        double worst = 0;
        for (int row = 0; row < logits.size(); row++) {
            worst = Math.max(worst, RelativeError.of(logits.get(row), found.logits.get(row)));
        }
        return worst;
    }

    /** Returns the largest difference of a logit of another run. */
    double largestDifference(ModelRun found) {
        double largest = 0;
        for (int row = 0; row < logits.size(); row++) {
            largest =
                    Math.max(
                            largest,
                            RelativeError.largestDifference(
                                    logits.get(row), found.logits.get(row)));
        }
        return largest;
    }
}
