package dev.varve.client.node;

import dev.varve.platform.chat.TrainedChat;
import dev.varve.testkit.Claim;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** The checks of the script {@code trained.mjs}. */
enum TrainedCheck {
    TOOLS(Claim.TOOLS, TrainedChat::callsTools),
    PARALLEL_TOOLS(Claim.TOOLS, TrainedChat::callsTools),
    REQUIRED_TOOL(Claim.FORCED_TOOLS, TrainedChat::callsTools),
    NAMED_TOOL(Claim.FORCED_TOOLS, TrainedChat::callsTools),
    REASONING(Claim.REASONING, TrainedChat::reasons),
    STRUCTURE(Claim.STRUCTURE, chat -> true),
    /** Requests with tools are refused. */
    REFUSED_TOOLS(Claim.TOOLS, chat -> !chat.callsTools());

    private final Claim claim;
    private final Predicate<TrainedChat> applies;

    TrainedCheck(Claim claim, Predicate<TrainedChat> applies) {
        this.claim = claim;
        this.applies = applies;
    }

    /** The checks of a model. */
    static List<TrainedCheck> of(TrainedChat chat) {
        return Arrays.stream(values()).filter(check -> check.applies.test(chat)).toList();
    }

    /** Column of the table in {@code docs/models.md} that the check belongs to. */
    Claim claim() {
        return claim;
    }

    /** The name in the script. */
    String script() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
