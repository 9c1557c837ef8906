package dev.varve.platform.cli;

import dev.varve.platform.chat.ReasoningDefaults;

import picocli.CommandLine.Option;

import java.util.Optional;
import java.util.OptionalInt;

/** Options for the reasoning of a model, of commands that serve or chat. */
final class ReasoningArguments {
    /** Value of an on/off option; without the option another default applies. */
    enum Switch {
        ON,
        OFF
    }

    @Option(
            names = "--reasoning-budget",
            paramLabel = "N",
            description =
                    "Maximum tokens of reasoning (default: no limit). It applies to requests that"
                        + " name no budget and no effort. A quarter of the response, at most 4096"
                        + " tokens, is reserved for the text after the reasoning.",
            order = OptionSections.REASONING)
    private Optional<Integer> reasoningBudget = Optional.empty();

    @Option(
            names = "--enable-thinking",
            paramLabel = "on|off",
            description =
                    "Whether the model reasons if a request does not say (default: as the chat"
                            + " template specifies).",
            order = OptionSections.REASONING + 1)
    private Optional<Switch> enableThinking = Optional.empty();

    /** Reasoning defaults of requests. */
    ReasoningDefaults defaults() {
        int budget = reasoningBudget.orElse(0);
        if (budget < 0) {
            throw new UsageException("--reasoning-budget: expected 0 or more, found " + budget);
        }
        return new ReasoningDefaults(
                enableThinking.map(choice -> choice == Switch.ON),
                reasoningBudget.isPresent() ? OptionalInt.of(budget) : OptionalInt.empty());
    }
}
