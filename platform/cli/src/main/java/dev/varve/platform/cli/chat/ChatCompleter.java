package dev.varve.platform.cli.chat;

import dev.varve.platform.log.ControlCharacters;

import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Completes the names of commands, and the names of files after commands that take one. */
final class ChatCompleter implements Completer {
    private static final int MOST_FILES = 1000;

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        if (!SlashCommand.isCommand(line.line())) {
            return;
        }
        if (line.wordIndex() == 0) {
            for (SlashCommand each : SlashCommand.values()) {
                candidates.add(candidate(each.command(), each.command(), each.description(), true));
            }
            return;
        }
        Optional<SlashCommand> command = SlashCommand.parse(line.line()).command();
        if (command.filter(SlashCommand::takesFile).isPresent()) {
            addFiles(line.word().substring(0, line.wordCursor()), candidates);
        }
    }

    /**
     * Adds the files of the folder that a word names; none if it cannot be read. A terminal would
     * execute control characters in a name, so such files are left out.
     */
    private static void addFiles(String word, List<Candidate> candidates) {
        String folder = word.substring(0, word.lastIndexOf('/') + 1);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(ChatFiles.path(folder))) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (ControlCharacters.areIn(name)) {
                    continue;
                }
                boolean isFolder = Files.isDirectory(file);
                String end = isFolder ? "/" : "";
                candidates.add(candidate(folder + name + end, name + end, null, !isFolder));
                if (candidates.size() == MOST_FILES) {
                    return;
                }
            }
        } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
            // A folder that does not exist has no completions.
        }
    }

    private static Candidate candidate(
            String value, String shown, String description, boolean complete) {
        return new Candidate(value, shown, null, description, null, null, complete);
    }
}
