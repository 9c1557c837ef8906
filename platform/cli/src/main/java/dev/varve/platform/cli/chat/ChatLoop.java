package dev.varve.platform.cli.chat;

import dev.varve.api.VarveException;
import dev.varve.platform.cli.chat.ChatMessage.Role;

import java.util.Optional;
import java.util.function.UnaryOperator;

/** Reads messages and commands in turn, and prints responses. For one thread. */
final class ChatLoop {
    private final ChatModel model;
    private final ChatInput input;
    private final ChatOutput out;
    private final UnaryOperator<String> flagNames;
    private final Conversation conversation = new Conversation();
    private final ChatCommands commands;
    private boolean failed;

    ChatLoop(ChatModel model, ChatInput input, ChatOutput out, ChatOptions options) {
        this.model = model;
        this.input = input;
        this.out = out;
        flagNames = options.flagNames();
        conversation.setSystem(options.system());
        commands = new ChatCommands(conversation, model, out);
    }

    /**
     * Runs until the input ends or the user leaves.
     *
     * @return whether every command and every message was accepted
     * @throws InterruptedException if the process is asked to stop
     */
    boolean run() throws InterruptedException {
        Optional<String> text = input.next();
        while (text.isPresent() && handle(text.get())) {
            text = input.next();
        }
        return !failed;
    }

    /** Handles one input; returns whether the chat continues. */
    private boolean handle(String typed) throws InterruptedException {
        String text = MessageText.unquote(typed);
        if (text.isEmpty()) {
            return true;
        }
        try {
            if (MessageText.isCommand(typed)) {
                return execute(SlashCommand.parse(text));
            }
            conversation.add(new ChatMessage(Role.USER, text));
            respond();
        } catch (VarveException | IllegalArgumentException e) {
            failed = true;
            out.error(flagNames.apply(e.getMessage()));
        }
        return true;
    }

    private boolean execute(SlashCommand.Line line) throws InterruptedException {
        switch (commands.execute(line)) {
            case CONTINUE -> {}
            case RESPOND -> respond();
            case EXIT -> {
                return false;
            }
        }
        return true;
    }

    /** Generates a response to the last message; without any text that message is removed. */
    private void respond() throws InterruptedException {
        ResponsePrinter printer = new ResponsePrinter(out, commands.showsReasoning());
        Optional<ChatResponse> response = Optional.empty();
        try {
            response =
                    Optional.of(
                            model.respond(conversation.messages(), commands.sampling(), printer));
        } finally {
            printer.end();
            if (response.filter(each -> !each.isEmpty()).isEmpty()) {
                conversation.undo();
            }
        }
        ChatResponse complete = response.get();
        commands.record(complete);
        if (!complete.isEmpty()) {
            conversation.add(complete.message());
        }
        explain(complete);
    }

    private void explain(ChatResponse response) {
        if (!out.isInteractive()) {
            return;
        }
        switch (response.end()) {
            case COMPLETE -> {
                if (response.isEmpty()) {
                    out.note("[the model returned no text; your message was removed]");
                }
            }
            case LENGTH ->
                    out.note(
                            "[the response reached --max-tokens or the end of the context,"
                                    + " --max-ctx; /clear begins a new conversation]");
            case STOPPED ->
                    out.note(
                            response.isEmpty()
                                    ? "[stopped; your message was removed]"
                                    : "[stopped; the part above stays in the conversation]");
        }
        out.note("");
    }
}
