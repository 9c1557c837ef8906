package dev.varve.spring;

import dev.varve.embedded.Embedder;

import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Opens the model that {@code varve.embedding.model} names, and closes it with the context.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnProperty("varve.embedding.model")
@EnableConfigurationProperties({VarveProperties.class, VarveEmbeddingProperties.class})
public class VarveEmbeddingAutoConfiguration {
    /** Creates the configuration. */
    public VarveEmbeddingAutoConfiguration() {}

    /** Opens the model. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Embedder varveEmbedder(VarveEmbeddingProperties properties, VarveProperties shared) {
        return Embedder.open(properties.model(), properties.options(shared.cacheFolder()));
    }

    /** Creates the model for embeddings, unless the program has one. */
    @Bean
    @ConditionalOnMissingBean(EmbeddingModel.class)
    VarveEmbeddingModel varveEmbeddingModel(Embedder embedder) {
        return new VarveEmbeddingModel(embedder);
    }
}
