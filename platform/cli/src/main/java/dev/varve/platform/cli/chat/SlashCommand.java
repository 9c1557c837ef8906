package dev.varve.platform.cli.chat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A command of the chat: a line that begins with a slash. */
enum SlashCommand {
    HELP("", "list the commands and keys", "/?"),
    SYSTEM("[TEXT]", "show or replace the system prompt; /system \"\" removes it"),
    CLEAR("", "begin a new conversation; the system prompt stays"),
    UNDO("", "remove the last message and its response"),
    REGENERATE("", "generate the last response again"),
    REASONING("on|off", "show or hide the reasoning of the model"),
    SET("[NAME VALUE]", "show the sampling values or set one: /set temperature 0.7"),
    STATS("", "show tokens, cached tokens and tokens per second"),
    SAVE("FILE", "save the conversation as JSON, as a body for /v1/chat/completions"),
    LOAD("FILE", "continue a saved conversation"),
    IMAGE("FILE", "attach an image to the next message"),
    EXIT("", "leave, as Ctrl-D does", "/bye", "/quit");

    private static final int COLUMN = 22;

    private final String argument;
    private final String description;
    private final List<String> aliases;

    /**
     * A parsed line.
     *
     * @param command command of the line; empty for an unknown one
     * @param name first word of the line, with its slash
     * @param argument rest of the line without spaces around it
     */
    record Line(Optional<SlashCommand> command, String name, String argument) {}

    SlashCommand(String argument, String description, String... aliases) {
        this.argument = argument;
        this.description = description;
        this.aliases = List.of(aliases);
    }

    /** Returns the name with its slash. */
    String command() {
        return "/" + name().toLowerCase(Locale.ROOT);
    }

    /** Returns the explanation for the user. */
    String description() {
        return description;
    }

    /** Returns whether the argument is the name of a file. */
    boolean takesFile() {
        return argument.equals("FILE");
    }

    /** Returns whether the command needs an argument. */
    boolean needsArgument() {
        return !argument.isEmpty() && !argument.startsWith("[");
    }

    /** Returns the command with its argument, as in {@code /save FILE}. */
    String usage() {
        return argument.isEmpty() ? command() : command() + " " + argument;
    }

    /** Returns whether a text is a command, known or not. */
    static boolean isCommand(String text) {
        return text.startsWith("/");
    }

    /** Parses a text for which {@link #isCommand} is true. */
    static Line parse(String text) {
        String[] words = text.strip().split("\\s+", 2);
        return new Line(find(words[0]), words[0], words.length == 1 ? "" : words[1].strip());
    }

    private static Optional<SlashCommand> find(String name) {
        return Arrays.stream(values())
                .filter(each -> each.command().equals(name) || each.aliases.contains(name))
                .findFirst();
    }

    /** Returns all names, for a message. */
    static String names() {
        return Arrays.stream(values()).map(SlashCommand::command).collect(Collectors.joining(", "));
    }

    /** Returns one line for each command. */
    static List<String> help() {
        return Arrays.stream(values())
                .map(
                        each ->
                                String.format(
                                        Locale.ROOT,
                                        "  %-" + COLUMN + "s%s",
                                        each.usage(),
                                        each.description))
                .toList();
    }
}
