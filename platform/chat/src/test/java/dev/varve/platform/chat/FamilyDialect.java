package dev.varve.platform.chat;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.plugin.gemma4.Gemma4Family;
import dev.varve.plugin.laguna.LagunaFamily;
import dev.varve.plugin.qwen3.Qwen3Family;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen3Model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The dialects of the supported families, as their plugins declare them for a small model. */
public enum FamilyDialect {
    QWEN3 {
        @Override
        ChatDialect read(Path folder) throws IOException {
            return open(new Qwen3Family(), Qwen3Model.tiny().write(folder));
        }
    },
    QWEN35 {
        @Override
        ChatDialect read(Path folder) throws IOException {
            return open(new Qwen35Family(), Qwen35Model.tiny().write(folder));
        }
    },
    LAGUNA {
        @Override
        ChatDialect read(Path folder) throws IOException {
            return open(new LagunaFamily(), LagunaModel.tiny().write(folder));
        }
    },
    GEMMA {
        @Override
        ChatDialect read(Path folder) throws IOException {
            return open(new Gemma4Family(), Gemma4Model.tiny().write(folder));
        }
    };

    private final ChatDialect dialect;

    FamilyDialect() {
        try {
            Path folder = Files.createTempDirectory("dialect");
            try {
                dialect = read(folder);
            } finally {
                try (var files = Files.list(folder)) {
                    for (Path file : files.toList()) {
                        Files.delete(file);
                    }
                }
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    abstract ChatDialect read(Path folder) throws IOException;

    private static ChatDialect open(ModelFamilyProvider family, Path model) throws IOException {
        return family.open(GgufFile.open(model), ModelOptions.defaults()).chatDialect();
    }

    /** Returns the family's marks of reasoning and of tool calls. */
    public ChatDialect dialect() {
        return dialect;
    }
}
