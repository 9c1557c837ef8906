package dev.varve.platform.remote;

import dev.varve.api.backend.TokenTrees;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.wire.Message;

import java.util.ArrayList;
import java.util.List;

/**
 * Encodes changes of caches. The small fields are i32 number of commits, then six i32 for each: the
 * last one is the number of tokens of a path through a tree (0 for none), which follow it; then i32
 * number of row moves. The large fields hold the moves, each as i32 kind and
 *
 * <ul>
 *   <li>0, a copy: i32 first slot to read, i32 first slot to write, i32 count;
 *   <li>1, a page out: i64 page, i32 slot;
 *   <li>2, a page in: likewise;
 *   <li>3, a dropped page: i64 page.
 * </ul>
 */
final class CacheChangeCodec {
    private static final int MOST_COMMITS = 1 << 10;
    private static final int MOST_MOVES = 1 << 17;
    private static final int COPY = 0;
    private static final int OUT = 1;
    private static final int IN = 2;
    private static final int DROP = 3;

    private CacheChangeCodec() {}

    static void put(FieldWriter fields, FieldWriter large, CacheChanges changes) {
        fields.number(changes.commits().size());
        for (StateCommit commit : changes.commits()) {
            fields.number(commit.rollbackBuffer())
                    .number(commit.readRow())
                    .number(commit.writeRow())
                    .number(commit.firstPosition())
                    .number(commit.tokens());
            AcceptedPath path = commit.path();
            fields.number(path.isStraight() ? 0 : path.length());
            for (int i = 1; i < path.length() && !path.isStraight(); i++) {
                fields.number(path.token(i));
            }
        }
        fields.number(changes.moves().size());
        changes.moves().forEach(move -> put(large, move));
    }

    private static void put(FieldWriter large, KvRowOperation move) {
        switch (move) {
            case KvSlotCopy(int from, int to, int count) ->
                    large.number(COPY).number(from).number(to).number(count);
            case PageMove(long page, int slot, PageMove.Direction direction) ->
                    large.number(direction == PageMove.Direction.OUT ? OUT : IN)
                            .number(page)
                            .number(slot);
            case HostPageFree(long page) -> large.number(DROP).number(page);
        }
    }

    static CacheChanges get(FieldReader fields, FieldReader large) {
        int commitCount = fields.number("commits", 0, MOST_COMMITS);
        List<StateCommit> commits = new ArrayList<>();
        for (int i = 0; i < commitCount; i++) {
            commits.add(commit(fields));
        }
        int moveCount = fields.number("moves", 0, MOST_MOVES);
        List<KvRowOperation> moves = new ArrayList<>();
        for (int i = 0; i < moveCount; i++) {
            moves.add(move(large));
        }
        return new CacheChanges(commits, moves);
    }

    private static KvRowOperation move(FieldReader large) {
        return switch (large.number("kind of move", COPY, DROP)) {
            case COPY -> copy(large);
            case OUT -> PageMove.out(page(large), slot(large));
            case IN -> PageMove.in(page(large), slot(large));
            default -> new HostPageFree(page(large));
        };
    }

    static long page(FieldReader fields) {
        return fields.number("page", 1L, Long.MAX_VALUE);
    }

    static int slot(FieldReader fields) {
        int slot = fields.number("slot of a page", 0, Integer.MAX_VALUE - Pages.TOKENS);
        if (slot % Pages.TOKENS != 0) {
            throw FieldReader.invalid("slot of a page", "a multiple of " + Pages.TOKENS, slot);
        }
        return slot;
    }

    private static StateCommit commit(FieldReader fields) {
        int rollbackBuffer = fields.number("stash", 0, Integer.MAX_VALUE);
        int readRow = fields.number("read row", SequenceChunk.ZERO_ROW, Integer.MAX_VALUE);
        int writeRow = fields.number("write row", SequenceChunk.ZERO_ROW + 1, Integer.MAX_VALUE);
        int position = fields.number("position", 0, Integer.MAX_VALUE - 1);
        int tokens = fields.number("tokens", 1, Integer.MAX_VALUE - position);
        return new StateCommit(rollbackBuffer, readRow, writeRow, position, path(fields, tokens));
    }

    private static AcceptedPath path(FieldReader fields, int tokens) {
        int length = fields.number("path tokens", 0, TokenTrees.MOST_TOKENS);
        if (length == 0) {
            return AcceptedPath.first(tokens);
        }
        if (length != tokens) {
            throw FieldReader.invalid("path tokens", tokens, length);
        }
        int[] path = new int[length];
        for (int i = 1; i < length; i++) {
            path[i] = fields.number("path token", path[i - 1] + 1, TokenTrees.MOST_TOKENS - 1);
        }
        return AcceptedPath.of(path);
    }

    private static KvSlotCopy copy(FieldReader fields) {
        int from = fields.number("copy from", 0, Integer.MAX_VALUE - 1);
        int to = fields.number("copy to", 0, Integer.MAX_VALUE - 1);
        int slots = fields.number("copy count", 1, Integer.MAX_VALUE - Math.max(from, to));
        return new KvSlotCopy(from, to, slots);
    }

    /** Encodes a message that holds only changes; the large fields are its payload. */
    static Message encode(CacheChanges changes) {
        FieldWriter fields = new FieldWriter();
        FieldWriter large = new FieldWriter();
        put(fields, large, changes);
        return new Message(MessageType.CHANGE, fields.done(), large.done());
    }

    static CacheChanges decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        FieldReader large = new FieldReader(message.payload());
        CacheChanges changes = get(fields, large);
        fields.end();
        large.end();
        return changes;
    }
}
