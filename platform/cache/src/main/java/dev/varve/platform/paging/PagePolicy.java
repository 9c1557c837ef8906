package dev.varve.platform.paging;

import dev.varve.platform.setting.Setting;

import java.util.Locale;

/** What decides which pages of a sequence stay in its pool. */
public enum PagePolicy {
    /** Scores of a small model that reads the history; needs one. */
    DRAFTER,
    /** The page that was used longest ago leaves. */
    LRU,
    /** What the model's own queries look for. */
    QK;

    /** The word that people and programs use, such as {@code qk}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What somebody hears who asks for {@link #DRAFTER} without a drafter. */
    public static IllegalArgumentException withoutDrafter() {
        return new IllegalArgumentException(
                Setting.KVFLASH_POLICY
                        + ": "
                        + DRAFTER.word()
                        + " needs "
                        + Setting.PREFILL_DRAFTER
                        + ", a small model that reads what is written");
    }
}
