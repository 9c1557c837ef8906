package dev.varve.platform.cli.chat;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Counts of the responses of a chat. For one thread. */
final class ChatStatistics {
    private Optional<ChatResponse.Statistics> last = Optional.empty();
    private int responses;
    private long promptTokens;
    private long cachedTokens;
    private long generatedTokens;

    /** Counts a response whose cost is known. */
    void add(ChatResponse response) {
        last = response.statistics();
        last.ifPresent(
                each -> {
                    responses++;
                    promptTokens += each.promptTokens();
                    cachedTokens += each.cachedTokens();
                    generatedTokens += each.generatedTokens();
                });
    }

    /** Returns the counts as lines. */
    List<String> lines(String model) {
        return List.of(
                "  model             " + model,
                "  last response     " + last.map(ChatStatistics::describe).orElse("none"),
                String.format(
                        Locale.ROOT,
                        "  all responses     %d: %d prompt tokens, %d of them cached; %d generated",
                        responses,
                        promptTokens,
                        cachedTokens,
                        generatedTokens),
                "  context           " + last.map(ChatStatistics::context).orElse("not used yet"));
    }

    private static String describe(ChatResponse.Statistics each) {
        return String.format(
                Locale.ROOT,
                "%d prompt tokens, %d of them cached, %.1f tokens/s; %d generated, %.1f tokens/s",
                each.promptTokens(),
                each.cachedTokens(),
                each.prefillTokensPerSecond(),
                each.generatedTokens(),
                each.decodeTokensPerSecond());
    }

    private static String context(ChatResponse.Statistics each) {
        int used = each.promptTokens() + each.generatedTokens();
        return each.contextTokens() > 0
                ? String.format(Locale.ROOT, "%d of %d tokens used", used, each.contextTokens())
                : used + " tokens used";
    }
}
