//! A table's file. Rows are collected by column and written in groups.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::{Staging, TablesError};

/// The values of a column that haven't been written yet.
#[derive(Debug)]
pub struct Column<T: DataType> {
    values: Vec<T::T>,
    /// For a nullable column: 1 for each row with a value, 0 for null.
    levels: Vec<i16>,
}

impl<T: DataType> Column<T> {
    pub fn push(&mut self, value: T::T) {
        self.values.push(value);
    }

    /// For optional columns. All their rows must be added with this.
    pub fn push_maybe(&mut self, value: Option<T::T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }
}

impl<T: DataType> Default for Column<T> {
    fn default() -> Column<T> {
        Column { values: Vec::new(), levels: Vec::new() }
    }
}

/// A nullable column of text lists.
#[derive(Debug, Default)]
pub struct TextLists {
    values: Vec<ByteArray>,
    definition_levels: Vec<i16>,
    repetition_levels: Vec<i16>,
}

impl TextLists {
    const NULL: i16 = 0;
    const EMPTY: i16 = 1;
    const ITEM: i16 = 2;

    pub fn push(&mut self, list: Option<impl IntoIterator<Item = ByteArray>>) {
        let n_before = self.values.len();
        let nothing = if list.is_some() { TextLists::EMPTY } else { TextLists::NULL };
        self.values.extend(list.into_iter().flatten());
        let n_items = self.values.len() - n_before;
        let level = if n_items > 0 { TextLists::ITEM } else { nothing };
        let n_levels = self.definition_levels.len() + n_items.max(1);
        self.repetition_levels.push(0);
        self.repetition_levels.resize(n_levels, 1);
        self.definition_levels.resize(n_levels, level);
    }

    pub fn n_items(&self) -> usize {
        self.values.len()
    }
}

/// A column of any type.
pub trait Gathered {
    /// Writes the collected values as the next column of the group.
    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<()>;
}

impl<T: DataType> Gathered for Column<T> {
    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<()> {
        let levels = (!self.levels.is_empty()).then_some(self.levels.as_slice());
        write_column::<T>(group, &self.values, levels, None)?;
        self.values.clear();
        self.levels.clear();
        Ok(())
    }
}

impl Gathered for TextLists {
    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<()> {
        let levels = (Some(self.definition_levels.as_slice()), Some(self.repetition_levels.as_slice()));
        write_column::<ByteArrayType>(group, &self.values, levels.0, levels.1)?;
        // Keeps the allocated memory, which the kernel would otherwise have to clear again for each group.
        self.values.clear();
        self.definition_levels.clear();
        self.repetition_levels.clear();
        Ok(())
    }
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    definition_levels: Option<&[i16]>,
    repetition_levels: Option<&[i16]>,
) -> Result<()> {
    let no_column = || ParquetError::General("more columns than the schema has".to_owned());
    let mut column = group.next_column()?.ok_or_else(no_column)?;
    column.typed::<T>().write_batch(values, definition_levels, repetition_levels)?;
    column.close()
}

#[derive(Debug)]
pub struct Schema {
    pub table: &'static str,
    /// In Parquet's schema language.
    pub columns: &'static str,
    /// Columns whose numbers mostly increase, or are close to the previous one.
    pub close_numbers: &'static [&'static str],
    /// Columns that need no minimum and maximum.
    pub without_statistics: &'static [&'static [&'static str]],
}

/// A file that is being written.
pub struct TableFile {
    writer: SerializedFileWriter<File>,
}

impl TableFile {
    pub fn create(to: &Staging<'_>, schema: &Schema) -> std::result::Result<TableFile, TablesError> {
        let message = format!("message {} {{ {} }}", schema.table, schema.columns);
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("camlscope {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::ZSTD(ZstdLevel::default()));
        for name in schema.close_numbers {
            let column = ColumnPath::from(*name);
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
        for path in schema.without_statistics {
            let column = ColumnPath::new(path.iter().map(|part| (*part).to_owned()).collect());
            properties = properties.set_column_statistics_enabled(column, EnabledStatistics::None);
        }
        let file = File::create(to.file(schema.table))?;
        let schema = Arc::new(parse_message_type(&message)?);
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build()))?;
        Ok(TableFile { writer })
    }

    /// Writes a group with the collected values of the columns, which must be in schema order.
    pub fn write_group(&mut self, columns: &mut [&mut dyn Gathered]) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for column in columns {
            column.write(&mut group)?;
        }
        group.close().map(drop)
    }

    pub fn close(self) -> std::result::Result<(), TablesError> {
        Ok(self.writer.into_inner()?.sync_all()?)
    }
}
