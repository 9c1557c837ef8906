package dev.varve.platform.cli.chat;

import dev.varve.api.VarveException;
import dev.varve.platform.cli.chat.ChatMessage.Role;

import java.util.List;
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
        List<ChatMessage> before = conversation.messages();
        try {
            if (!MessageText.isCommand(typed)) {
                conversation.add(new ChatMessage(Role.USER, text, "", commands.takeImages()));
                respond(before);
                return true;
            }
            ChatCommands.Next next = commands.execute(SlashCommand.parse(text));
            if (next == ChatCommands.Next.RESPOND) {
                respond(before);
            }
            return next != ChatCommands.Next.EXIT;
        } catch (VarveException | IllegalArgumentException e) {
            failed = true;
            out.error(flagNames.apply(e.getMessage()));
            return true;
        }
    }

    /**
     * Generates a response to the last message and adds it.
     *
     * @param before the conversation to return to if the model generates no text
     */
    private void respond(List<ChatMessage> before) throws InterruptedException {
        ResponsePrinter printer = new ResponsePrinter(out, commands.showsReasoning());
        Optional<ChatResponse> response = Optional.empty();
        try {
            response =
                    Optional.of(
                            model.respond(conversation.messages(), commands.sampling(), printer));
        } finally {
            printer.end();
            response.filter(each -> !each.isEmpty())
                    .map(ChatResponse::message)
                    .ifPresentOrElse(conversation::add, () -> conversation.replace(before));
        }
        commands.record(response.get());
        explain(response.get());
    }

    private void explain(ChatResponse response) {
        if (!out.isInteractive()) {
            return;
        }
        switch (response.end()) {
            case COMPLETE -> {
                if (response.isEmpty()) {
                    out.note("[the model generated no text; the conversation is unchanged]");
                }
            }
            case LENGTH ->
                    out.note(
                            "[the response reached --max-tokens or the end of the context,"
                                    + " --max-ctx; /clear begins a new conversation]");
            case STOPPED ->
                    out.note(
                            response.isEmpty()
                                    ? "[stopped; the conversation is unchanged]"
                                    : "[stopped; the part above stays in the conversation]");
        }
        out.note("");
    }
}
