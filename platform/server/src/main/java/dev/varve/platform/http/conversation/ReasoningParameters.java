package dev.varve.platform.http.conversation;

import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The reasoning options of a request. Several fields switch reasoning on or off; the last of these
 * counts: {@code reasoning}, {@code reasoning_effort}, {@code thinking}, {@code enable_thinking},
 * {@code chat_template_kwargs.enable_thinking}.
 *
 * @param enabled whether the model reasons; empty: the template decides
 * @param effort share of the response for reasoning
 * @param requestedTokens maximum number of reasoning tokens that the request gives
 * @param defaultTokens maximum number of reasoning tokens if the request gives neither
 * @param isRequested whether the request gave an effort, a budget or {@code thinking}; its
 *     responses then report how the reasoning ended
 */
public record ReasoningParameters(
        Optional<Boolean> enabled,
        Optional<ReasoningEffort> effort,
        OptionalInt requestedTokens,
        OptionalInt defaultTokens,
        boolean isRequested) {
    /** Name of the switch, both as a field and as a template variable. */
    static final String SWITCH = "enable_thinking";

    /** Name of the effort, both as a field and as a template variable. */
    static final String EFFORT = "reasoning_effort";

    /** Reads the options. */
    public static ReasoningParameters read(RequestFields fields, ReasoningDefaults defaults) {
        Optional<RequestFields> reasoning = fields.nested("reasoning");
        Optional<RequestFields> thinking = fields.nested("thinking");
        Optional<ReasoningEffort> flatEffort =
                fields.text(EFFORT).map(text -> ReasoningEffort.parse(EFFORT, text));
        Optional<ReasoningEffort> effort =
                reasoning
                        .flatMap(each -> each.text("effort"))
                        .map(text -> ReasoningEffort.parse("reasoning.effort", text))
                        .or(() -> flatEffort);
        Optional<Boolean> enabled =
                Stream.of(
                                defaults.thinking(),
                                reasoning.map(each -> each.flag("enabled").orElse(true)),
                                effort.map(each -> each != ReasoningEffort.NONE),
                                thinking.map(ReasoningParameters::isOn),
                                flag(fields),
                                fields.nested("chat_template_kwargs")
                                        .flatMap(ReasoningParameters::flag))
                        .flatMap(Optional::stream)
                        .reduce((earlier, later) -> later);
        OptionalInt tokens =
                thinking.map(each -> tokens(each, "budget_tokens")).orElse(OptionalInt.empty());
        OptionalInt flatTokens =
                Stream.of(
                                tokens(fields, "thinking_budget"),
                                reasoning
                                        .map(each -> tokens(each, "max_tokens"))
                                        .orElse(OptionalInt.empty()))
                        .filter(OptionalInt::isPresent)
                        .findFirst()
                        .orElse(OptionalInt.empty());
        boolean isRequested = effort.isPresent() || thinking.isPresent() || flatTokens.isPresent();
        return new ReasoningParameters(
                enabled,
                effort.filter(each -> each != ReasoningEffort.NONE),
                tokens.isPresent() ? tokens : flatTokens,
                defaults.budget(),
                isRequested);
    }

    /**
     * Returns the maximum number of reasoning tokens in a response of {@code maxOutput} tokens,
     * empty for no limit, as {@link ReasoningDefaults#maxTokens} bounds it. If reasoning is
     * switched off the maximum is 0, so that a model that reasons all the same is stopped.
     */
    OptionalInt budget(int maxOutput) {
        if (!enabled.orElse(true)) {
            return OptionalInt.of(0);
        }
        int most = ReasoningDefaults.maxTokens(maxOutput);
        if (requestedTokens.isPresent()) {
            return OptionalInt.of(Math.min(requestedTokens.getAsInt(), most));
        }
        if (isRequested) {
            return OptionalInt.of(effort.orElse(ReasoningEffort.HIGH).tokens(most));
        }
        return defaultTokens.isPresent()
                ? OptionalInt.of(Math.min(defaultTokens.getAsInt(), most))
                : OptionalInt.empty();
    }

    /** Checks an effort that is otherwise ignored. */
    public static void checkEffort(String where, String text) {
        ReasoningEffort.parse(where, text);
    }

    private static boolean isOn(RequestFields thinking) {
        return switch (thinking.text("type").orElse("enabled")) {
            case "enabled", "adaptive" -> true;
            case "disabled" -> false;
            default ->
                    throw ApiException.invalid(
                            "thinking.type",
                            "thinking.type: expected enabled, disabled or adaptive");
        };
    }

    private static Optional<Boolean> flag(RequestFields fields) {
        return fields.flag(SWITCH);
    }

    private static OptionalInt tokens(RequestFields fields, String name) {
        OptionalLong tokens = fields.whole(name, 0, Integer.MAX_VALUE);
        return tokens.isPresent() ? OptionalInt.of((int) tokens.getAsLong()) : OptionalInt.empty();
    }
}
