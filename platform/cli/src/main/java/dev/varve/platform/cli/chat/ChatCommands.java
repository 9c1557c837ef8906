package dev.varve.platform.cli.chat;

import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Executes the commands of a chat, and keeps the settings that they change. For one thread. */
final class ChatCommands {
    private static final String SEED = "seed";

    private static final List<String> KEYS =
            List.of(
                    "  Ctrl-C                stop the response, or clear the line; twice on an"
                            + " empty line leave",
                    "  Ctrl-D                leave",
                    "  Tab                   complete a command or a file name",
                    "  Up, Down, Ctrl-R      earlier inputs",
                    "Several lines: end a line with \\, or write \"\"\" before and after the text,"
                            + " or paste them.",
                    "A message that begins with / needs \"\"\" around it.");

    /** Action of the chat after a command. */
    enum Next {
        /** Reads the next input. */
        CONTINUE,
        /** Generates a response to the last message. */
        RESPOND,
        /** Ends. */
        EXIT
    }

    private final Conversation conversation;
    private final ChatModel model;
    private final ChatOutput out;
    private final ChatStatistics statistics = new ChatStatistics();
    private SamplingValues sampling = SamplingValues.NONE;
    private final List<ChatImage> images = new ArrayList<>();
    private boolean showsReasoning;

    ChatCommands(Conversation conversation, ChatModel model, ChatOutput out) {
        this.conversation = conversation;
        this.model = model;
        this.out = out;
        showsReasoning = out.isInteractive();
    }

    /** Returns whether reasoning is shown; without a terminal it is hidden at first. */
    boolean showsReasoning() {
        return showsReasoning;
    }

    /** Returns the sampling values that {@code /set} has set. */
    SamplingValues sampling() {
        return sampling;
    }

    /** Counts a response. */
    void record(ChatResponse response) {
        statistics.add(response);
    }

    /**
     * Executes a command.
     *
     * @throws IllegalArgumentException if the command is unknown or its argument is wrong
     * @throws dev.varve.api.VarveException if a file cannot be used
     */
    Next execute(SlashCommand.Line line) {
        SlashCommand command =
                line.command()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                line.name()
                                                        + ": unknown command; expected one of "
                                                        + SlashCommand.names()));
        String argument = line.argument();
        if (command.needsArgument() && argument.isEmpty()) {
            throw new IllegalArgumentException("expected " + command.usage());
        }
        switch (command) {
            case HELP -> help();
            case SYSTEM -> system(argument);
            case CLEAR -> {
                conversation.clear();
                images.clear();
                confirm("new conversation");
            }
            case UNDO -> undo();
            case REGENERATE -> {
                return regenerate();
            }
            case REASONING -> reasoning(argument);
            case SET -> set(argument);
            case STATS -> statistics.lines(model.name()).forEach(out::note);
            case SAVE -> save(argument);
            case LOAD -> load(argument);
            case IMAGE -> attach(argument);
            case EXIT -> {
                return Next.EXIT;
            }
        }
        return Next.CONTINUE;
    }

    private void confirm(String text) {
        if (out.isInteractive()) {
            out.note(text);
        }
    }

    private void help() {
        SlashCommand.help().forEach(out::note);
        KEYS.forEach(out::note);
    }

    private void system(String argument) {
        if (argument.isEmpty()) {
            out.note(conversation.system().orElse("no system prompt; /system TEXT sets one"));
            return;
        }
        conversation.setSystem(argument.equals("\"\"") ? "" : argument);
        confirm(conversation.system().isEmpty() ? "system prompt removed" : "system prompt set");
    }

    private void undo() {
        if (!conversation.undo()) {
            throw new IllegalArgumentException("/undo: the conversation has no message");
        }
        confirm("removed the last message and its response");
    }

    private Next regenerate() {
        if (!conversation.removeResponse()) {
            throw new IllegalArgumentException("/regenerate: the conversation has no message");
        }
        return Next.RESPOND;
    }

    private void reasoning(String argument) {
        showsReasoning =
                switch (argument.toLowerCase(Locale.ROOT)) {
                    case "on" -> true;
                    case "off" -> false;
                    default ->
                            throw new IllegalArgumentException(
                                    "/reasoning: expected on or off, found " + argument);
                };
        confirm(showsReasoning ? "reasoning is shown" : "reasoning is hidden");
    }

    private void set(String argument) {
        String[] words = argument.replace('=', ' ').split("\\s+");
        if (argument.isEmpty()) {
            showSampling();
            return;
        }
        if (words.length != 2) {
            throw new IllegalArgumentException(
                    "/set: expected a name and a value, such as /set temperature 0.7, found "
                            + argument);
        }
        try {
            sampling =
                    words[0].equals(SEED)
                            ? sampling.withSeed(Long.parseLong(words[1]))
                            : sampling.with(
                                    parameter(words[0]),
                                    "/set " + words[0],
                                    Double.parseDouble(words[1]));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "/set " + words[0] + ": expected a number, found " + words[1], e);
        }
        confirm(words[0] + " is " + words[1]);
    }

    private static SamplingParameter parameter(String name) {
        return SamplingParameter.find(name)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "/set: expected one of "
                                                + SamplingParameter.wireNames()
                                                + ", seed, found "
                                                + name));
    }

    private void showSampling() {
        SamplingValues all = sampling.over(model.sampling());
        for (SamplingParameter each : SamplingParameter.values()) {
            out.note(
                    String.format(
                            Locale.ROOT,
                            "  %-20s%s",
                            each.wireName(),
                            SamplingParameter.show(all.get(each))));
        }
        out.note(
                String.format(
                        Locale.ROOT,
                        "  %-20s%s",
                        SEED,
                        all.seed().isPresent() ? all.seed().getAsLong() : "random"));
    }

    /** Attaches an image to the next message. */
    private void attach(String argument) {
        model.imageProblem()
                .ifPresent(
                        reason -> {
                            throw new IllegalArgumentException(
                                    "/image: " + model.name() + " reads no images: " + reason);
                        });
        images.add(ChatImage.read(path(argument)));
        confirm(
                images.size() == 1
                        ? "attached to the next message"
                        : images.size() + " images are attached to the next message");
    }

    /** Returns the images of the next message, and detaches them. */
    List<ChatImage> takeImages() {
        List<ChatImage> taken = List.copyOf(images);
        images.clear();
        return taken;
    }

    private void save(String argument) {
        Path file = path(argument);
        new ConversationFile(file).save(conversation.messages());
        confirm("saved " + conversation.size() + " messages in " + file);
    }

    private void load(String argument) {
        Path file = path(argument);
        conversation.replace(new ConversationFile(file).load());
        confirm("loaded " + conversation.size() + " messages from " + file);
    }

    private static Path path(String text) {
        try {
            return ChatFiles.path(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("expected a file name: " + e.getMessage(), e);
        }
    }
}
