package dev.varve.platform.content;

import dev.varve.api.VarveException;

import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** States of files at one moment, to check later whether the files changed. Immutable. */
public final class FileStates {
    private final Map<Path, FileIdentity> states;

    private FileStates(Map<Path, FileIdentity> states) {
        this.states = states;
    }

    /**
     * Captures the current states.
     *
     * @throws VarveException of kind UNREADABLE_FILE if a file is missing
     */
    public static FileStates of(Collection<Path> files) {
        Map<Path, FileIdentity> states = new LinkedHashMap<>();
        files.forEach(file -> states.computeIfAbsent(file, FileIdentity::of));
        return new FileStates(states);
    }

    FileIdentity of(Path file) {
        return states.get(file);
    }

    /**
     * Fails if a file was modified or replaced.
     *
     * @throws VarveException of kind UNREADABLE_FILE that names the file and both states
     */
    public void requireUnchanged() {
        states.forEach(
                (file, before) -> {
                    FileIdentity now = FileIdentity.of(file);
                    if (!now.equals(before)) {
                        throw new VarveException(
                                VarveException.Kind.UNREADABLE_FILE,
                                file
                                        + ": changed after it was opened: expected "
                                        + before
                                        + ", found "
                                        + now);
                    }
                });
    }
}
