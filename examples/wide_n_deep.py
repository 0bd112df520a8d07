"""Who earns more than 50,000 dollars: wide, deep, and wide & deep models of the census data.

--model_type is "wide", "deep" or "wide_n_deep". Without --train_data and --test_data (adult.data
and adult.test of the UCI repository) people are made up, and the figures are not those of the
tutorial.
"""

import csv
import random
import tempfile
from pathlib import Path

import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("model_dir", "", "Where checkpoints are written.")
flags.DEFINE_string("model_type", "wide_n_deep", "wide, deep or wide_n_deep.")
flags.DEFINE_integer("train_steps", 200, "The number of training steps.")
flags.DEFINE_string("train_data", "", "The path of adult.data.")
flags.DEFINE_string("test_data", "", "The path of adult.test.")

COLUMNS = (
    "age workclass fnlwgt education education_num marital_status occupation relationship race "
    "gender capital_gain capital_loss hours_per_week native_country income_bracket"
).split()
CATEGORICAL_COLUMNS = (
    "workclass education marital_status occupation relationship race gender native_country"
).split()
CONTINUOUS_COLUMNS = "age education_num capital_gain capital_loss hours_per_week".split()
EDUCATION = ["11th", "HS-grad", "Some-college", "Bachelors", "Masters", "Doctorate"]


def made_up_people(count, seed):
    """People of whom the educated, the married and the busy earn more."""
    source = random.Random(seed)
    people = []
    for _ in range(count):
        level = source.randrange(len(EDUCATION))
        married = source.random() < 0.5
        hours = source.randint(10, 70)
        age = source.randint(17, 80)
        score = level + 2 * married + hours / 20 + min(age, 45) / 15 + source.gauss(0, 1)
        person = dict.fromkeys(COLUMNS, "0")
        person.update(
            age=age,
            workclass=source.choice(["Private", "State-gov", "Self-emp-inc"]),
            education=EDUCATION[level],
            education_num=7 + level,
            marital_status="Married-civ-spouse" if married else "Never-married",
            occupation=source.choice(["Tech-support", "Sales", "Exec-managerial", "Craft-repair"]),
            relationship="Husband" if married else "Not-in-family",
            race=source.choice(["White", "Black", "Other"]),
            gender=source.choice(["Male", "Female"]),
            hours_per_week=hours,
            native_country="United-States",
            income_bracket=">50K" if score > 9 else "<=50K",
        )
        people.append(person)
    return people


def people_of(path, count, seed, skipped=0):
    if not path:
        return made_up_people(count, seed)
    with Path(path).open() as file:
        rows = list(csv.reader(file, skipinitialspace=True))[skipped:]
    return [dict(zip(COLUMNS, row)) for row in rows if len(row) == len(COLUMNS)]


def input_fn(people):
    """Features and labels of all people."""
    features = {k: tf.constant([float(p[k]) for p in people]) for k in CONTINUOUS_COLUMNS}
    for k in CATEGORICAL_COLUMNS:
        features[k] = tf.SparseTensor(
            indices=[[i, 0] for i in range(len(people))],
            values=[p[k] for p in people],
            dense_shape=[len(people), 1],
        )
    return features, tf.constant([int(">50K" in p["income_bracket"]) for p in people])


def build_estimator(model_dir):
    layers = tf.contrib.layers
    gender = layers.sparse_column_with_keys("gender", keys=["Female", "Male"])
    education = layers.sparse_column_with_hash_bucket("education", hash_bucket_size=1000)
    relationship = layers.sparse_column_with_hash_bucket("relationship", hash_bucket_size=100)
    workclass = layers.sparse_column_with_hash_bucket("workclass", hash_bucket_size=100)
    occupation = layers.sparse_column_with_hash_bucket("occupation", hash_bucket_size=1000)
    native_country = layers.sparse_column_with_hash_bucket("native_country", hash_bucket_size=1000)
    real_valued = [layers.real_valued_column(name) for name in CONTINUOUS_COLUMNS]
    age_buckets = layers.bucketized_column(
        real_valued[0], boundaries=[18, 25, 30, 35, 40, 45, 50, 55, 60, 65]
    )
    sparse = [gender, native_country, education, occupation, workclass, relationship]
    wide_columns = [
        *sparse,
        age_buckets,
        layers.crossed_column([education, occupation], hash_bucket_size=int(1e4)),
        layers.crossed_column([age_buckets, education, occupation], hash_bucket_size=int(1e6)),
        layers.crossed_column([native_country, occupation], hash_bucket_size=int(1e4)),
    ]
    deep_columns = [
        *(layers.embedding_column(column, dimension=8) for column in sparse),
        *real_valued,
    ]
    if FLAGS.model_type == "wide":
        return tf.contrib.learn.LinearClassifier(model_dir=model_dir, feature_columns=wide_columns)
    if FLAGS.model_type == "deep":
        return tf.contrib.learn.DNNClassifier(
            model_dir=model_dir, feature_columns=deep_columns, hidden_units=[100, 50]
        )
    return tf.contrib.learn.DNNLinearCombinedClassifier(
        model_dir=model_dir,
        linear_feature_columns=wide_columns,
        dnn_feature_columns=deep_columns,
        dnn_hidden_units=[100, 50],
        fix_global_step_increment_bug=True,
    )


def main(_):
    train = people_of(FLAGS.train_data, 2000, seed=1)
    test = people_of(FLAGS.test_data, 500, seed=2, skipped=1)
    model = build_estimator(FLAGS.model_dir or tempfile.mkdtemp())
    model.fit(input_fn=lambda: input_fn(train), steps=FLAGS.train_steps)
    results = model.evaluate(input_fn=lambda: input_fn(test), steps=1)
    for key in sorted(results):
        print(f"{key}: {results[key]}")


if __name__ == "__main__":
    tf.app.run()
