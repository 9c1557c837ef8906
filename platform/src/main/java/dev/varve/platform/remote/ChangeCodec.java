package dev.varve.platform.remote;

import dev.varve.api.backend.TokenTrees;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotCopy;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.TokenPath;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes of caches on the wire, in the small fields: i32 the number of commits, and of each six
 * i32, the last of which is the number of tokens of a path through a tree, 0 for none, and those
 * that follow it; i32 the number of copies of rows, and of each three i32.
 */
final class ChangeCodec {
    private static final int MOST_COMMITS = 1 << 10;
    private static final int MOST_COPIES = 1 << 14;

    private ChangeCodec() {}

    static void put(FieldWriter fields, CacheChanges changes) {
        fields.number(changes.commits().size());
        for (StateCommit commit : changes.commits()) {
            fields.number(commit.stash())
                    .number(commit.readRow())
                    .number(commit.writeRow())
                    .number(commit.firstPosition())
                    .number(commit.tokens());
            TokenPath path = commit.path();
            fields.number(path.isStraight() ? 0 : path.length());
            for (int i = 1; i < path.length() && !path.isStraight(); i++) {
                fields.number(path.token(i));
            }
        }
        fields.number(changes.copies().size());
        for (SlotCopy copy : changes.copies()) {
            fields.number(copy.from()).number(copy.to()).number(copy.count());
        }
    }

    static CacheChanges get(FieldReader fields) {
        int commitCount = fields.number("commits", 0, MOST_COMMITS);
        List<StateCommit> commits = new ArrayList<>();
        for (int i = 0; i < commitCount; i++) {
            commits.add(commit(fields));
        }
        int copyCount = fields.number("copies", 0, MOST_COPIES);
        List<SlotCopy> copies = new ArrayList<>();
        for (int i = 0; i < copyCount; i++) {
            copies.add(copy(fields));
        }
        return new CacheChanges(commits, copies);
    }

    private static StateCommit commit(FieldReader fields) {
        int stash = fields.number("stash", 0, Integer.MAX_VALUE);
        int readRow = fields.number("read row", Slice.ZERO_ROW, Integer.MAX_VALUE);
        int writeRow = fields.number("write row", Slice.ZERO_ROW + 1, Integer.MAX_VALUE);
        int position = fields.number("position", 0, Integer.MAX_VALUE - 1);
        int tokens = fields.number("tokens", 1, Integer.MAX_VALUE - position);
        return new StateCommit(stash, readRow, writeRow, position, path(fields, tokens));
    }

    private static TokenPath path(FieldReader fields, int tokens) {
        int length = fields.number("path tokens", 0, TokenTrees.MOST_TOKENS);
        if (length == 0) {
            return TokenPath.first(tokens);
        }
        if (length != tokens) {
            throw FieldReader.invalid("path tokens", tokens, length);
        }
        int[] path = new int[length];
        for (int i = 1; i < length; i++) {
            path[i] = fields.number("path token", path[i - 1] + 1, TokenTrees.MOST_TOKENS - 1);
        }
        return TokenPath.of(path);
    }

    private static SlotCopy copy(FieldReader fields) {
        int from = fields.number("copy from", 0, Integer.MAX_VALUE - 1);
        int to = fields.number("copy to", 0, Integer.MAX_VALUE - 1);
        int slots = fields.number("copy count", 1, Integer.MAX_VALUE - Math.max(from, to));
        return new SlotCopy(from, to, slots);
    }

    /** A message of changes alone. */
    static ByteBuffer encode(CacheChanges changes) {
        FieldWriter fields = new FieldWriter();
        put(fields, changes);
        return fields.done();
    }

    static CacheChanges decode(ByteBuffer meta) {
        FieldReader fields = new FieldReader(meta);
        CacheChanges changes = get(fields);
        fields.end();
        return changes;
    }
}
